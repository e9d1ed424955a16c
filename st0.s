	.file	"<string>"
	.section	.ltext,"axl",@progbits
	.globl	_ZN8__main__6stand0B2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE
	.p2align	4
	.type	_ZN8__main__6stand0B2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE,@function
_ZN8__main__6stand0B2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE:
	pushq	%r15
	pushq	%r14
	pushq	%r12
	pushq	%rbx
	subq	%rcx, %r8
	testq	%r8, %r8
	jle	.LBB0_1
	movq	120(%rsp), %rax
	movq	64(%rsp), %rsi
	cmpq	$4, %r8
	jae	.LBB0_4
	xorl	%r11d, %r11d
	xorl	%ebx, %ebx
	xorl	%r14d, %r14d
.LBB0_14:
	movq	%r8, %r15
	movq	%rcx, %r12
	jmp	.LBB0_15
.LBB0_1:
	xorl	%r14d, %r14d
	xorl	%ebx, %ebx
	xorl	%r11d, %r11d
	jmp	.LBB0_17
.LBB0_4:
	movabsq	$9223372036854775792, %r9
	vpbroadcastq	%rdx, %ymm16
	cmpq	$16, %r8
	jae	.LBB0_9
	xorl	%r10d, %r10d
	xorl	%r11d, %r11d
	xorl	%ebx, %ebx
	xorl	%r14d, %r14d
	jmp	.LBB0_6
.LBB0_9:
	movq	%r8, %r10
	andq	%r9, %r10
	vbroadcastsd	%xmm0, %ymm6
	leaq	(%rax,%rcx,8), %r11
	addq	$96, %r11
	leaq	(%rsi,%rcx,8), %rbx
	addq	$96, %rbx
	vpxor	%xmm8, %xmm8, %xmm8
	xorl	%r14d, %r14d
	vpxor	%xmm12, %xmm12, %xmm12
	vpxor	%xmm13, %xmm13, %xmm13
	vpxor	%xmm14, %xmm14, %xmm14
	vpxor	%xmm7, %xmm7, %xmm7
	vpxor	%xmm9, %xmm9, %xmm9
	vpxor	%xmm10, %xmm10, %xmm10
	vpxor	%xmm11, %xmm11, %xmm11
	vpxord	%xmm17, %xmm17, %xmm17
	vpxord	%xmm18, %xmm18, %xmm18
	vpxord	%xmm19, %xmm19, %xmm19
	vpxor	%xmm5, %xmm5, %xmm5
	.p2align	4
.LBB0_10:
	vmovupd	-96(%rbx,%r14,8), %ymm15
	vmovupd	-64(%rbx,%r14,8), %ymm1
	vmovupd	-32(%rbx,%r14,8), %ymm2
	vmovupd	(%rbx,%r14,8), %ymm3
	vcmpltpd	%ymm6, %ymm15, %ymm4
	vpsubq	%ymm4, %ymm17, %ymm17
	vcmpltpd	%ymm6, %ymm1, %ymm4
	vpsubq	%ymm4, %ymm18, %ymm18
	vcmpltpd	%ymm6, %ymm2, %ymm4
	vpsubq	%ymm4, %ymm19, %ymm19
	vcmpltpd	%ymm6, %ymm3, %ymm4
	vpsubq	%ymm4, %ymm5, %ymm5
	vcmpeqpd	%ymm6, %ymm15, %k1
	vcmpeqpd	%ymm6, %ymm1, %k2
	vcmpeqpd	%ymm6, %ymm2, %k3
	vcmpeqpd	%ymm6, %ymm3, %k4
	vcmpeqpd	%ymm6, %ymm15, %ymm4
	vpsubq	%ymm4, %ymm7, %ymm7
	vcmpeqpd	%ymm6, %ymm1, %ymm1
	vpsubq	%ymm1, %ymm9, %ymm9
	vcmpeqpd	%ymm6, %ymm2, %ymm1
	vpsubq	%ymm1, %ymm10, %ymm10
	vcmpeqpd	%ymm6, %ymm3, %ymm1
	vpsubq	%ymm1, %ymm11, %ymm11
	vpcmpnleuq	-96(%r11,%r14,8), %ymm16, %k0 {%k1}
	vpcmpnleuq	-64(%r11,%r14,8), %ymm16, %k1 {%k2}
	vpcmpnleuq	-32(%r11,%r14,8), %ymm16, %k2 {%k3}
	vpcmpnleuq	(%r11,%r14,8), %ymm16, %k3 {%k4}
	vpmovm2q	%k0, %ymm1
	vpsubq	%ymm1, %ymm8, %ymm8
	vpmovm2q	%k1, %ymm1
	vpsubq	%ymm1, %ymm12, %ymm12
	vpmovm2q	%k2, %ymm1
	vpsubq	%ymm1, %ymm13, %ymm13
	vpmovm2q	%k3, %ymm1
	vpsubq	%ymm1, %ymm14, %ymm14
	addq	$16, %r14
	cmpq	%r14, %r10
	jne	.LBB0_10
	vpaddq	%ymm8, %ymm12, %ymm1
	vpaddq	%ymm13, %ymm14, %ymm2
	vpaddq	%ymm1, %ymm2, %ymm1
	vextracti128	$1, %ymm1, %xmm2
	vpaddq	%xmm2, %xmm1, %xmm1
	vpshufd	$238, %xmm1, %xmm2
	vpaddq	%xmm2, %xmm1, %xmm1
	vmovq	%xmm1, %r11
	vpaddq	%ymm7, %ymm9, %ymm1
	vpaddq	%ymm10, %ymm11, %ymm2
	vpaddq	%ymm1, %ymm2, %ymm1
	vextracti128	$1, %ymm1, %xmm2
	vpaddq	%xmm2, %xmm1, %xmm1
	vpshufd	$238, %xmm1, %xmm2
	vpaddq	%xmm2, %xmm1, %xmm1
	vmovq	%xmm1, %rbx
	vpaddq	%ymm17, %ymm18, %ymm1
	vpaddq	%ymm19, %ymm5, %ymm2
	vpaddq	%ymm1, %ymm2, %ymm1
	vextracti128	$1, %ymm1, %xmm2
	vpaddq	%xmm2, %xmm1, %xmm1
	vpshufd	$238, %xmm1, %xmm2
	vpaddq	%xmm2, %xmm1, %xmm1
	vmovq	%xmm1, %r14
	cmpq	%r10, %r8
	je	.LBB0_17
	testb	$12, %r8b
	je	.LBB0_13
.LBB0_6:
	addq	$12, %r9
	andq	%r8, %r9
	movl	%r8d, %r15d
	andl	$3, %r15d
	leaq	(%rcx,%r9), %r12
	vmovq	%r11, %xmm4
	vmovq	%rbx, %xmm3
	vmovq	%r14, %xmm2
	vbroadcastsd	%xmm0, %ymm5
	leaq	(%rax,%rcx,8), %r11
	leaq	(%rsi,%rcx,8), %rcx
	.p2align	4
.LBB0_7:
	vmovupd	(%rcx,%r10,8), %ymm1
	vcmpltpd	%ymm5, %ymm1, %ymm6
	vpsubq	%ymm6, %ymm2, %ymm2
	vcmpeqpd	%ymm5, %ymm1, %k1
	vcmpeqpd	%ymm5, %ymm1, %ymm1
	vpsubq	%ymm1, %ymm3, %ymm3
	vpcmpnleuq	(%r11,%r10,8), %ymm16, %k0 {%k1}
	vpmovm2q	%k0, %ymm1
	vpsubq	%ymm1, %ymm4, %ymm4
	addq	$4, %r10
	cmpq	%r10, %r9
	jne	.LBB0_7
	vextracti128	$1, %ymm4, %xmm1
	vpaddq	%xmm1, %xmm4, %xmm1
	vpshufd	$238, %xmm1, %xmm4
	vpaddq	%xmm4, %xmm1, %xmm1
	vmovq	%xmm1, %r11
	vextracti128	$1, %ymm3, %xmm1
	vpaddq	%xmm1, %xmm3, %xmm1
	vpshufd	$238, %xmm1, %xmm3
	vpaddq	%xmm3, %xmm1, %xmm1
	vmovq	%xmm1, %rbx
	vextracti128	$1, %ymm2, %xmm1
	vpaddq	%xmm1, %xmm2, %xmm1
	vpshufd	$238, %xmm1, %xmm2
	vpaddq	%xmm2, %xmm1, %xmm1
	vmovq	%xmm1, %r14
	cmpq	%r9, %r8
	je	.LBB0_17
.LBB0_15:
	incq	%r15
	shlq	$3, %r12
	.p2align	4
.LBB0_16:
	xorl	%ecx, %ecx
	vucomisd	(%rsi,%r12), %xmm0
	seta	%cl
	setnp	%r8b
	sete	%r9b
	addq	%rcx, %r14
	andb	%r8b, %r9b
	movzbl	%r9b, %ecx
	addq	%rcx, %rbx
	cmpq	%rdx, (%rax,%r12)
	setb	%r8b
	andb	%r8b, %cl
	movzbl	%cl, %ecx
	addq	%rcx, %r11
	decq	%r15
	addq	$8, %r12
	cmpq	$1, %r15
	ja	.LBB0_16
.LBB0_17:
	movq	%r14, (%rdi)
	movq	%rbx, 8(%rdi)
	movq	%r11, 16(%rdi)
	xorl	%eax, %eax
	popq	%rbx
	popq	%r12
	popq	%r14
	popq	%r15
	vzeroupper
	retq
.LBB0_13:
	andl	$15, %r8d
	addq	%r10, %rcx
	jmp	.LBB0_14
.Lfunc_end0:
	.size	_ZN8__main__6stand0B2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE, .Lfunc_end0-_ZN8__main__6stand0B2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE

	.globl	_ZN7cpython8__main__6stand0B2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE
	.p2align	4
	.type	_ZN7cpython8__main__6stand0B2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE,@function
_ZN7cpython8__main__6stand0B2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	pushq	%r15
	.cfi_def_cfa_offset 24
	pushq	%r14
	.cfi_def_cfa_offset 32
	pushq	%r13
	.cfi_def_cfa_offset 40
	pushq	%r12
	.cfi_def_cfa_offset 48
	pushq	%rbx
	.cfi_def_cfa_offset 56
	subq	$216, %rsp
	.cfi_def_cfa_offset 272
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	.cfi_offset %rbp, -16
	movq	%rsi, %rdi
	leaq	48(%rsp), %r10
	leaq	56(%rsp), %r11
	leaq	64(%rsp), %r14
	leaq	72(%rsp), %r15
	movabsq	$.const.stand0, %rsi
	movabsq	$PyArg_UnpackTuple, %r12
	xorl	%ebx, %ebx
	leaq	88(%rsp), %r8
	leaq	80(%rsp), %r9
	movl	$6, %edx
	movl	$6, %ecx
	xorl	%eax, %eax
	pushq	%r10
	.cfi_adjust_cfa_offset 8
	pushq	%r11
	.cfi_adjust_cfa_offset 8
	pushq	%r14
	.cfi_adjust_cfa_offset 8
	pushq	%r15
	.cfi_adjust_cfa_offset 8
	callq	*%r12
	addq	$32, %rsp
	.cfi_adjust_cfa_offset -32
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%ymm0, 160(%rsp)
	vmovups	%ymm0, 184(%rsp)
	vmovups	%ymm0, 96(%rsp)
	vmovups	%ymm0, 120(%rsp)
	vxorps	%xmm0, %xmm0, %xmm0
	vmovaps	%xmm0, (%rsp)
	movq	$0, 16(%rsp)
	testl	%eax, %eax
	je	.LBB1_14
	movabsq	$_ZN08NumbaEnv8__main__6stand0B2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE, %rax
	cmpq	$0, (%rax)
	je	.LBB1_15
	movq	88(%rsp), %rdi
	movabsq	$PyNumber_Float, %rax
	vzeroupper
	callq	*%rax
	movq	%rax, %rbx
	movabsq	$PyFloat_AsDouble, %rax
	movq	%rbx, %rdi
	callq	*%rax
	vmovsd	%xmm0, 40(%rsp)
	movabsq	$Py_DecRef, %rbp
	movq	%rbx, %rdi
	callq	*%rbp
	movabsq	$PyErr_Occurred, %r13
	callq	*%r13
	testq	%rax, %rax
	jne	.LBB1_16
	movq	80(%rsp), %rdi
	movabsq	$PyNumber_Long, %r12
	callq	*%r12
	movabsq	$PyLong_AsUnsignedLongLong, %rbx
	testq	%rax, %rax
	je	.LBB1_17
	movq	%rax, %r14
	movq	%rax, %rdi
	callq	*%rbx
	movq	%rax, %r15
	movq	%r14, %rdi
	callq	*%rbp
	callq	*%r13
	testq	%rax, %rax
	jne	.LBB1_16
.LBB1_5:
	movq	%r15, 32(%rsp)
	movq	72(%rsp), %rdi
	callq	*%r12
	testq	%rax, %rax
	je	.LBB1_19
	movq	%rax, %r15
	movq	%rax, %rdi
	callq	*%rbx
	movq	%rax, %r14
	movq	%r15, %rdi
	callq	*%rbp
	callq	*%r13
	testq	%rax, %rax
	jne	.LBB1_16
.LBB1_7:
	movq	64(%rsp), %rdi
	callq	*%r12
	testq	%rax, %rax
	je	.LBB1_21
	movq	%rax, %r12
	movq	%rax, %rdi
	callq	*%rbx
	movq	%rax, %r15
	movq	%r12, %rdi
	callq	*%rbp
	callq	*%r13
	testq	%rax, %rax
	jne	.LBB1_16
.LBB1_9:
	movq	56(%rsp), %rdi
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%ymm0, 160(%rsp)
	vmovups	%ymm0, 184(%rsp)
	movabsq	$NRT_adapt_ndarray_from_python, %r13
	leaq	160(%rsp), %rsi
	vzeroupper
	callq	*%r13
	testl	%eax, %eax
	jne	.LBB1_23
	cmpq	$8, 184(%rsp)
	jne	.LBB1_23
	movq	160(%rsp), %r12
	movq	192(%rsp), %rbx
	movq	48(%rsp), %rdi
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%ymm0, 96(%rsp)
	vmovups	%ymm0, 120(%rsp)
	leaq	96(%rsp), %rsi
	vzeroupper
	callq	*%r13
	testl	%eax, %eax
	jne	.LBB1_25
	cmpq	$8, 120(%rsp)
	jne	.LBB1_25
	movq	96(%rsp), %r13
	movq	128(%rsp), %rax
	vxorps	%xmm0, %xmm0, %xmm0
	vmovaps	%xmm0, (%rsp)
	movq	$0, 16(%rsp)
	subq	$112, %rsp
	.cfi_adjust_cfa_offset 112
	movq	%rax, 80(%rsp)
	movq	%rbx, 24(%rsp)
	movabsq	$_ZN8__main__6stand0B2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE, %rax
	leaq	112(%rsp), %rdi
	vmovsd	152(%rsp), %xmm0
	movq	144(%rsp), %rdx
	movq	%r14, %rcx
	movq	%r15, %r8
	callq	*%rax
	addq	$112, %rsp
	.cfi_adjust_cfa_offset -112
	movq	(%rsp), %rbp
	movq	8(%rsp), %r15
	movq	16(%rsp), %r14
	movabsq	$NRT_decref, %rbx
	movq	%r12, %rdi
	callq	*%rbx
	movq	%r13, %rdi
	callq	*%rbx
	movabsq	$PyTuple_New, %rax
	movl	$3, %edi
	callq	*%rax
	movq	%rax, %rbx
	movabsq	$PyLong_FromLongLong, %r12
	movq	%rbp, %rdi
	callq	*%r12
	movabsq	$PyTuple_SetItem, %r13
	movq	%rbx, %rdi
	xorl	%esi, %esi
	movq	%rax, %rdx
	callq	*%r13
	movq	%r15, %rdi
	callq	*%r12
	movl	$1, %esi
	movq	%rbx, %rdi
	movq	%rax, %rdx
	callq	*%r13
	movq	%r14, %rdi
	callq	*%r12
	movl	$2, %esi
	movq	%rbx, %rdi
	movq	%rax, %rdx
	callq	*%r13
.LBB1_14:
	movq	%rbx, %rax
	addq	$216, %rsp
	.cfi_def_cfa_offset 56
	popq	%rbx
	.cfi_def_cfa_offset 48
	popq	%r12
	.cfi_def_cfa_offset 40
	popq	%r13
	.cfi_def_cfa_offset 32
	popq	%r14
	.cfi_def_cfa_offset 24
	popq	%r15
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	vzeroupper
	retq
.LBB1_15:
	.cfi_def_cfa_offset 272
	movabsq	$PyExc_RuntimeError, %rdi
	movabsq	$".const.missing Environment: _ZN08NumbaEnv8__main__6stand0B2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE", %rsi
	jmp	.LBB1_24
.LBB1_17:
	xorl	%r15d, %r15d
	callq	*%r13
	testq	%rax, %rax
	je	.LBB1_5
	jmp	.LBB1_16
.LBB1_19:
	xorl	%r14d, %r14d
	callq	*%r13
	testq	%rax, %rax
	je	.LBB1_7
	jmp	.LBB1_16
.LBB1_21:
	xorl	%r15d, %r15d
	callq	*%r13
	testq	%rax, %rax
	je	.LBB1_9
.LBB1_16:
	xorl	%ebx, %ebx
	jmp	.LBB1_14
.LBB1_23:
	movabsq	$PyExc_TypeError, %rdi
	movabsq	$".const.can't unbox array from PyObject into native value.  The object maybe of a different type", %rsi
.LBB1_24:
	movabsq	$PyErr_SetString, %rax
	vzeroupper
	callq	*%rax
	xorl	%ebx, %ebx
	jmp	.LBB1_14
.LBB1_25:
	movabsq	$PyExc_TypeError, %rdi
	movabsq	$".const.can't unbox array from PyObject into native value.  The object maybe of a different type", %rsi
	movabsq	$PyErr_SetString, %rax
	callq	*%rax
	movabsq	$NRT_decref, %rax
	movq	%r12, %rdi
	callq	*%rax
	xorl	%ebx, %ebx
	jmp	.LBB1_14
.Lfunc_end1:
	.size	_ZN7cpython8__main__6stand0B2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE, .Lfunc_end1-_ZN7cpython8__main__6stand0B2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE
	.cfi_endproc

	.globl	cfunc._ZN8__main__6stand0B2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE
	.p2align	4
	.type	cfunc._ZN8__main__6stand0B2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE,@function
cfunc._ZN8__main__6stand0B2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE:
	subq	$136, %rsp
	movq	%rdx, %r8
	movq	%rsi, %rcx
	movq	%rdi, %rdx
	movq	152(%rsp), %rax
	movq	208(%rsp), %rsi
	vxorps	%xmm1, %xmm1, %xmm1
	vmovaps	%xmm1, 112(%rsp)
	movq	$0, 128(%rsp)
	movq	%rsi, 80(%rsp)
	movq	%rax, 24(%rsp)
	movabsq	$_ZN8__main__6stand0B2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE, %rax
	leaq	112(%rsp), %rdi
	callq	*%rax
	movq	112(%rsp), %rax
	movq	120(%rsp), %rdx
	movq	128(%rsp), %rcx
	addq	$136, %rsp
	retq
.Lfunc_end2:
	.size	cfunc._ZN8__main__6stand0B2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE, .Lfunc_end2-cfunc._ZN8__main__6stand0B2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE

	.weak	NRT_decref
	.p2align	4
	.type	NRT_decref,@function
NRT_decref:
	.cfi_startproc
	testq	%rdi, %rdi
	je	.LBB3_2
	#MEMBARRIER
	lock		decq	(%rdi)
	je	.LBB3_3
.LBB3_2:
	retq
.LBB3_3:
	#MEMBARRIER
	movabsq	$NRT_MemInfo_call_dtor, %rax
	jmpq	*%rax
.Lfunc_end3:
	.size	NRT_decref, .Lfunc_end3-NRT_decref
	.cfi_endproc

	.type	.const.stand0,@object
	.section	.lrodata,"al",@progbits
.const.stand0:
	.asciz	"stand0"
	.size	.const.stand0, 7

	.type	_ZN08NumbaEnv8__main__6stand0B2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE,@object
	.comm	_ZN08NumbaEnv8__main__6stand0B2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE,8,8
	.type	".const.missing Environment: _ZN08NumbaEnv8__main__6stand0B2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE",@object
	.p2align	4, 0x0
".const.missing Environment: _ZN08NumbaEnv8__main__6stand0B2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE":
	.asciz	"missing Environment: _ZN08NumbaEnv8__main__6stand0B2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE"
	.size	".const.missing Environment: _ZN08NumbaEnv8__main__6stand0B2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE", 163

	.type	".const.can't unbox array from PyObject into native value.  The object maybe of a different type",@object
	.p2align	4, 0x0
".const.can't unbox array from PyObject into native value.  The object maybe of a different type":
	.asciz	"can't unbox array from PyObject into native value.  The object maybe of a different type"
	.size	".const.can't unbox array from PyObject into native value.  The object maybe of a different type", 89

	.section	".note.GNU-stack","",@progbits
