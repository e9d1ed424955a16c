	.file	"<string>"
	.section	.ltext,"axl",@progbits
	.globl	_ZN8__main__6stand8B2v4B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE
	.p2align	4
	.type	_ZN8__main__6stand8B2v4B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE,@function
_ZN8__main__6stand8B2v4B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE:
	cmpq	%r8, %rcx
	jae	.LBB0_1
	pushq	%rbp
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	movq	136(%rsp), %rax
	movq	80(%rsp), %rsi
	xorl	%r10d, %r10d
	xorl	%r9d, %r9d
	xorl	%r11d, %r11d
	.p2align	4
.LBB0_4:
	xorl	%ebx, %ebx
	vucomisd	(%rsi,%rcx,8), %xmm0
	seta	%bl
	sete	%bpl
	setnp	%r14b
	addq	%r10, %rbx
	andb	%bpl, %r14b
	movzbl	%r14b, %r10d
	leaq	(%r10,%r9), %r15
	cmpq	%rdx, (%rax,%rcx,8)
	setb	%r9b
	andb	%r9b, %r10b
	movzbl	%r10b, %r14d
	addq	%r11, %r14
	xorl	%r9d, %r9d
	vucomisd	8(%rsi,%rcx,8), %xmm0
	seta	%r9b
	sete	%r10b
	setnp	%r11b
	andb	%r10b, %r11b
	movzbl	%r11b, %r11d
	cmpq	%rdx, 8(%rax,%rcx,8)
	setb	%r10b
	movl	%r11d, %ebp
	andb	%r10b, %bpl
	movzbl	%bpl, %r12d
	xorl	%r10d, %r10d
	vucomisd	16(%rsi,%rcx,8), %xmm0
	seta	%r10b
	sete	%bpl
	setnp	%r13b
	addq	%r9, %r10
	addq	%rbx, %r10
	andb	%bpl, %r13b
	movzbl	%r13b, %ebx
	leaq	(%rbx,%r11), %r9
	addq	%r15, %r9
	cmpq	%rdx, 16(%rax,%rcx,8)
	setb	%r11b
	andb	%r11b, %bl
	movzbl	%bl, %r11d
	addq	%r12, %r11
	addq	%r14, %r11
	xorl	%ebx, %ebx
	vucomisd	24(%rsi,%rcx,8), %xmm0
	seta	%bl
	sete	%bpl
	setnp	%r14b
	andb	%bpl, %r14b
	cmpq	%rdx, 24(%rax,%rcx,8)
	movzbl	%r14b, %r15d
	setb	%bpl
	movl	%r15d, %r12d
	andb	%bpl, %r12b
	xorl	%r14d, %r14d
	vucomisd	32(%rsi,%rcx,8), %xmm0
	movzbl	%r12b, %r12d
	seta	%r14b
	sete	%bpl
	setnp	%r13b
	addq	%rbx, %r14
	andb	%bpl, %r13b
	movzbl	%r13b, %ebx
	leaq	(%rbx,%r15), %r13
	cmpq	%rdx, 32(%rax,%rcx,8)
	setb	%bpl
	andb	%bpl, %bl
	movzbl	%bl, %r15d
	addq	%r12, %r15
	xorl	%ebx, %ebx
	vucomisd	40(%rsi,%rcx,8), %xmm0
	seta	%bl
	sete	%bpl
	setnp	%r12b
	addq	%r14, %rbx
	addq	%r10, %rbx
	andb	%bpl, %r12b
	movzbl	%r12b, %r10d
	addq	%r10, %r9
	addq	%r13, %r9
	cmpq	%rdx, 40(%rax,%rcx,8)
	setb	%bpl
	andb	%bpl, %r10b
	movzbl	%r10b, %r14d
	addq	%r15, %r14
	addq	%r11, %r14
	xorl	%r11d, %r11d
	vucomisd	48(%rsi,%rcx,8), %xmm0
	seta	%r11b
	sete	%r10b
	setnp	%bpl
	andb	%r10b, %bpl
	movzbl	%bpl, %r15d
	cmpq	%rdx, 48(%rax,%rcx,8)
	setb	%r10b
	movl	%r15d, %ebp
	andb	%r10b, %bpl
	xorl	%r10d, %r10d
	vucomisd	56(%rsi,%rcx,8), %xmm0
	seta	%r10b
	movzbl	%bpl, %r12d
	setnp	%bpl
	sete	%r13b
	addq	%r11, %r10
	addq	%rbx, %r10
	andb	%bpl, %r13b
	movzbl	%r13b, %r11d
	addq	%r11, %r9
	addq	%r15, %r9
	cmpq	%rdx, 56(%rax,%rcx,8)
	setb	%bl
	andb	%bl, %r11b
	movzbl	%r11b, %r11d
	addq	%r12, %r11
	addq	%r14, %r11
	addq	$8, %rcx
	cmpq	%r8, %rcx
	jb	.LBB0_4
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	jmp	.LBB0_2
.LBB0_1:
	xorl	%r10d, %r10d
	xorl	%r9d, %r9d
	xorl	%r11d, %r11d
.LBB0_2:
	movq	%r10, (%rdi)
	movq	%r9, 8(%rdi)
	movq	%r11, 16(%rdi)
	xorl	%eax, %eax
	retq
.Lfunc_end0:
	.size	_ZN8__main__6stand8B2v4B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE, .Lfunc_end0-_ZN8__main__6stand8B2v4B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE

	.globl	_ZN7cpython8__main__6stand8B2v4B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE
	.p2align	4
	.type	_ZN7cpython8__main__6stand8B2v4B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE,@function
_ZN7cpython8__main__6stand8B2v4B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE:
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
	movabsq	$.const.stand8, %rsi
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
	movabsq	$_ZN08NumbaEnv8__main__6stand8B2v4B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE, %rax
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
	movabsq	$_ZN8__main__6stand8B2v4B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE, %rax
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
	movabsq	$".const.missing Environment: _ZN08NumbaEnv8__main__6stand8B2v4B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE", %rsi
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
	.size	_ZN7cpython8__main__6stand8B2v4B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE, .Lfunc_end1-_ZN7cpython8__main__6stand8B2v4B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE
	.cfi_endproc

	.globl	cfunc._ZN8__main__6stand8B2v4B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE
	.p2align	4
	.type	cfunc._ZN8__main__6stand8B2v4B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE,@function
cfunc._ZN8__main__6stand8B2v4B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE:
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
	movabsq	$_ZN8__main__6stand8B2v4B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE, %rax
	leaq	112(%rsp), %rdi
	callq	*%rax
	movq	112(%rsp), %rax
	movq	120(%rsp), %rdx
	movq	128(%rsp), %rcx
	addq	$136, %rsp
	retq
.Lfunc_end2:
	.size	cfunc._ZN8__main__6stand8B2v4B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE, .Lfunc_end2-cfunc._ZN8__main__6stand8B2v4B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE

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

	.type	.const.stand8,@object
	.section	.lrodata,"al",@progbits
.const.stand8:
	.asciz	"stand8"
	.size	.const.stand8, 7

	.type	_ZN08NumbaEnv8__main__6stand8B2v4B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE,@object
	.comm	_ZN08NumbaEnv8__main__6stand8B2v4B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE,8,8
	.type	".const.missing Environment: _ZN08NumbaEnv8__main__6stand8B2v4B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE",@object
	.p2align	4, 0x0
".const.missing Environment: _ZN08NumbaEnv8__main__6stand8B2v4B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE":
	.asciz	"missing Environment: _ZN08NumbaEnv8__main__6stand8B2v4B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE"
	.size	".const.missing Environment: _ZN08NumbaEnv8__main__6stand8B2v4B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEdyyy5ArrayIdLi1E1C7mutable7alignedE5ArrayIyLi1E1C7mutable7alignedE", 163

	.type	".const.can't unbox array from PyObject into native value.  The object maybe of a different type",@object
	.p2align	4, 0x0
".const.can't unbox array from PyObject into native value.  The object maybe of a different type":
	.asciz	"can't unbox array from PyObject into native value.  The object maybe of a different type"
	.size	".const.can't unbox array from PyObject into native value.  The object maybe of a different type", 89

	.section	".note.GNU-stack","",@progbits
