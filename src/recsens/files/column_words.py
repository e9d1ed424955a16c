"""Words in the names of columns, by what they mean: in the languages of shops, libraries, schools and streams."""

WHOLE: dict[str, str] = {
    "user": """
        u uid userpseudo reviewprofile fullvisitor distinct responseid emailaddress mailaddress csuser subj kd cpf msno
        ffn msisdn usertext
    """,
    "user?": """
        account household householdkey hshd hshdnum foyer accountid depot who wer kto kim qui device deviceid cookie cookieid
        clientip cardid
    """,
    "item": """
        i iid lineitemsku clickarticle stim csuristem eventcontext bib gmap targetentity touser ratee towar produs art artid
        stimulus latid
    """,
    "item?": """
        barcode barre codebarre codigobarras codigodebarras codeabarre codicabarre codiceabarre messageid what was thing eventid
        eventname event stop referencia reference referenz codigo codice
    """,
    "rating": "stars r reviewoverall watchratio resp rate likes ratingval",
    "rating?": "star",
    "time": "t ts orderts",
    "count": "timesplayed hoursplayed playedhours playtimeforever playtimehours hourspergame numberofplays",
    "order": "pnr",
    "fact": "contentrating memberrating imdbrating ratingcount votecount seasonticket useragent creditrating agerating",
}
"""Meaning -> whole names of columns, without punctuation. Words with ``?`` yield to others."""

WORDS: dict[str, str] = {
    "title": """
        title titel titre titulo titolo tytul название 商品名 電影名 电影名 書名 cim naslov baslik titul
    """,
    "name": """
        наименование name nom nome nombre naam nazwa namn navn nazev isim adi bezeichnung designation libelle denominacion
        denominazione benennung intitule jmeno numele fullname 名
    """,
    "user": """
        card karte carte tarjeta carta kort karta tessera user usr customer cust client reviewer member visitor person buyer
        purchaser viewer listener student pupil reader profile email mail borrower patron rater voter taster donor candidate guest
        passenger rider resident learner patient subject participant respondent consumer player gamer shopper subscriber follower
        contributor editor applicant traveler traveller annotator nickname nick login handle fan critic trainee attendee tourist
        tenant eater username pseudo screenname loyalty cardholder steamid persona anonymous domainuser matricule kunde kundin kdnr
        kunnr nutzer nutzerin benutzer anwender teilnehmer teilnehmende kundenkarte leser leserin horer zuschauer besteller kaufer
        abonnent mitglied gast spieler schuler patientin studierende debitor ausweis utilisateur utilisatrice usager acheteur
        acheteuse abonne adherent lecteur lectrice membre spectateur auditeur etudiant joueur internaute visiteur eleve
        cartefidelite emprunteur stagiaire apprenant fidelite usuario cliente socio lector lectora miembro comprador compradora
        estudiante alumno alumna jugador paciente huesped espectador oyente suscriptor consumidor utente lettore lettrice acquirente
        spettatore studente giocatore abbonato ospite ascoltatore membro iscritto visitatore paziente consumatore gebruiker klant
        koper lezer lener abonnee bezoeker speler leerling kijker luisteraar deelnemer utilizador leitor leitora aluno aluna jogador
        assinante ouvinte hospede matricula associado uzytkownik klient kupujacy czytelnik abonent gracz widz sluchacz pacjent gosc
        kursant nabywca odbiorca anvandare kund medlem lasare kopare spelare besokare lyssnare tittare elev prenumerant lantagare
        deltagare bruger bruker kober koberen laeser spiller gaest seer lytter laner deltager kjoper uzivatel zakaznik ctenar
        kupujici hrac divak posluchac navstevnik odberatel kullanici musteri uye okuyucu okur alici oyuncu izleyici dinleyici
        ogrenci ziyaretci misafir hasta abone kayttaja asiakas felhasznalo utilizator vasarlo olvaso nabywcy lyssnar swiper visid
        πελατη pelanggan pengguna khachhang nguoidung korisnik kupac uporabnik 用户 ユーザー 使用者 顾客 顧客 会员 会員 利用者
        клиент користувач пользователь слушатель покупатель читатель зритель игрок студент χρηστης πελατης المستخدم 사용자 회원 고객
    """,
    "user?": """
        account household employee hshd foyer depot session people actor entity owner holder worker citizen judge konto compte
        cuenta conta personne pessoa persoon osoba host kisi hesap
    """,
    "item": """
        προιοντος pzn plu minsan ndc bib medien varu towaru posting item movie film product prod asin sku upc gtin article book isbn
        song track game video anime beer wine recipe meal dish food course lesson lecture exercise problem news story headline
        podcast episode show program programme poi venue attraction museum exhibit restaurant hotel accommodation apartment listing
        offer deal coupon advert app application software package repo repository project business vehicle document paper
        publication photo image painting artwork post tweet pin stream url uri page webpage content media clip comic manga novel
        ticker isin fund stock drug medicine medication job vacancy stockcode material matnr bibnumber ean object merchandise
        destination parentasin joke prodotti iwine problema artikel artnr produkt ware gericht speise rezept buch spiel lied sendung
        folge kurs anzeige beitrag nachricht wein bier horbuch zeitschrift signatur werk unterkunft bucher spiele filme produit
        livre chanson morceau jeu recette plat emission formation cours biere roman ouvrage oeuvre spectacle logement annonce offre
        medicament revue disque producto articulo pelicula libro cancion juego receta plato curso leccion noticia vino cerveza obra
        restaurante alojamiento oferta anuncio medicamento revista asignatura prodotto articolo pellicola canzone brano gioco
        ricetta piatto corso lezione notizia birra opera ristorante albergo alloggio offerta annuncio farmaco rivista esame
        insegnamento boek spel gerecht cursus aflevering uitzending wijn vacature voorstelling produto artigo livro musica jogo
        prato disciplina aula vinho cerveja pousada remedio mercadoria produktu ksiazka utwor piosenka gra przepis danie lekcja
        odcinek artykul wino piwo lek vara recept avsnitt nyhet lakemedel matratt bok vare bog sang opskrift kursus lektion afsnit
        nyhed sted kniha pisen skladba hra jidlo kurz clanek zbozi vyrobek urun kitap sarki oyun yemek ders haber restoran otel
        makale eser ilac tuote termek konyv elokuva buku lagu sanpham knjiga igra kappale 商品 電影 电影 作品 映画 影片 歌曲 图书
        資料 書籍 товар фильм книга трек песня статья игра рецепт блюдо курс προιον ταινια βιβλιο الكتاب الفيلم المنتج 영화 상품
    """,
    "item?": """
        record album service site question artist band channel facility campaign driver place station link tv series serie serial
        perfume merchant playlist subreddit community stop banner creative music musik medium thread lokal lieu lugar luogo plaats
        miejsce mekan misto ort stelle fach piste pista dizi bolum ad ads property contentitem part indeks box
    """,
    "rating": """
        rating score star overall recommend recommended liked preference value label relevance relevant like thumb upvote vote
        grade mark satisfaction correct enjoyment appreciation affinity nps bewertung wertung note zensur sterne benotung bewertet
        evaluation etoile puntuacion valoracion calificacion puntaje estrella nota voto valutazione punteggio giudizio gradimento
        beoordeling cijfer waardering sterren avaliacao pontuacao classificacao curtida ocena puan gwiazdki betyg omdome stjarnor
        karakter vurdering stjerner bedommelse hodnoceni znamka hvezdicky degerlendirme yildiz begeni arvosana ertekeles danhgia
        penilaian skor ocjena рейтинг оценка оцінка βαθμολογια 评分 評価 评价 得点 별점 التقييم 평점
    """,
    "rating?": """
        target point punkte punti puntos pontos punten poang punkty body favorite favorited favourite favourited completed
        finished click clicked listened
    """,
    "count": """
        play playcount watchcount viewcount listencount listen count view frequency weight playtime pageview visits commits clicks
        streams wiedergaben aufrufe ecoutes reproducciones ascolti odtworzenia spelningar afspilninger prehrani dinlenme scrobbles
    """,
    "time": """
        time timestamp date datetime ordered created added utc unixtime epoch moment when purchased bought unix zeit zeitpunkt
        zeitstempel datum uhrzeit wann horodatage temps fecha tiempo orario data tijdstip tijd tempo czas tidpunkt tid dato
        tidspunkt cas tarih zaman дата время 时间 日期 日時 投稿日 paivamaara aika tanggal waktu ngay
    """,
    "time?": """
        day jour dia giorno dag dzien den gun
    """,
    "later": """
        due return returned end ended finish until till expire expired expiry expiration update updated modified edited ship
        shipped shipping shipment deliver delivered delivery dispatch dispatched paid payment birth birthday born dob signup join
        joined register registered registration release released publish published launch deleted cancelled canceled logout
        departure refund refunded processed approved ingested loaded synced scraped crawled import imported ruckgabe fallig ende
        geliefert lieferung lieferdatum versand geburt geandert retour rendu echeance fin livraison expedition naissance
        modification inscription parution sortie devolucion vencimiento entrega envio nacimiento registro estreno actualizacion
        restituzione scadenza consegna spedizione nascita iscrizione uscita aggiornamento inlever einde levering verzending
        geboorte devolucao prazo nascimento cadastro lancamento atualizacao zwrot termin koniec dostawy wysylki urodzenia
        rejestracji retur slut leverans vraceni konec doruceni narozeni vracen iade teslim bitis dogum
    """,
    "order": """
        чек unnamed order invoice transaction trans txn trx tx basket receipt cart checkout booking reservation bon ticket visit
        sess lineitem line row shopping request log entry impression seq sequence voucher loan docno uniquekey purchase sale event
        bestellung bestell auftrag rechnung beleg kassenbon warenkorb zeile sitzung buchung vorgang lieferschein kauf ausleihe
        ausleih leih lese commande facture panier ligne seance achat pret vente pedido compra carrito linea sesion reserva prestamo
        venta recibo ordine fattura scontrino carrello riga sessione prenotazione prestito acquisto ricevuta bestelling factuur
        winkelwagen sessie boeking aankoop fatura linha sessao emprestimo venda factura zamowienie faktura koszyk paragon sesja
        rezerwacja wypozyczenia transakcja zakup bestallning kvitto kundvagn bokning kop lan ordre kurv kvittering linje kob
        objednavka kosik uctenka rezervace nakup siparis sepet satir oturum alis
    """,
    "quantity": """
        quantity qty quant qtd qte amount unit pieces pcs sold volume copies nights adults kwmeng menge anzahl stuck stueck
        quantite cantidad unidades quantita pezzi aantal stuks quantidade qtde ilosc liczba sztuk antal mangd maengde stk mnozstvi
        pocet kusu adet miktar количество 数量 個数 수량
    """,
    "fact": """
        sekunder minuter timmar timer segundos minutos secondi minuti secondes heures uren sekund minut godzin saniye dakika renewal
        refill surface origin сумма цена verlengd locali screen room seat table verlangerung zweig saal sala prolongation renovacion
        price cost amt total subtotal sum revenue gmv money fee fare tax vat discount disc margin currency profit budget salary wage
        income balance tip tender usd eur gbp sales spent spend age gender sex country state zip zipcode postcode postal address
        street latitude lat lon lng longitude geo ip lang language locale timezone nationality occupation education marital size
        colour color height width length duration dur ms second sec seconds min minute minutes hour hours month year runtime elapsed
        latency week weekday weekend quarter term season semester playingtime average avg mean median max std expected predicted
        prediction probability imdb metacritic credit members helpful helpfulness useful funny cool verified spoiler platform
        browser os agent ua referrer referer source utm search keyword version status flag type kind mode method reason action
        behavior behaviour verb rank pos position level step attempt hint progress percent percentage pct share ratio bytes new gift
        subscription premium mobile holiday promo organic shuffle offline autoplay minor reorder reordered surname lastname
        firstname fname lname yearofpublication pages preis betrag summe umsatz steuer rabatt wahrung kosten alter geschlecht land
        strasse plz postleitzahl sprache beruf grosse farbe gewicht dauer jahr monat woche stunde stunden sekunden minuten gerat
        geraet zahlung zahlungsart anrede vorname nachname wochentag durchschnitt rang versuch prix montant cout remise devise taxe
        tva sexe pays adresse langue taille couleur poids duree annee mois semaine heure appareil statut etat paiement prenom
        moyenne precio importe coste costo monto descuento moneda impuesto edad sexo pais direccion idioma talla peso duracion ano
        mes semana dispositivo estado pago apellido promedio valor importo prezzo sconto valuta eta sesso paese indirizzo lingua
        taglia colore durata anno mese settimana stato pagamento cognome prijs bedrag korting leeftijd geslacht taal maat kleur duur
        jaar maand betaling voornaam achternaam apparaat preco custo desconto moeda imposto idade endereco tamanho cor duracao
        sobrenome cena kwota koszt waluta wiek plec kraj jezyk rozmiar kolor waga rok miesiac tydzien platnosc nazwisko urzadzenie
        wartosc pris belopp kostnad alder kon sprak storlek farg vikt langd manad vecka betalning fornamn efternamn enhet belob
        sprog storrelse farve varighed maned uge fornavn efternavn enhed castka naklady sleva mena vek pohlavi zeme jazyk velikost
        barva delka mesic tyden stav platba zarizeni fiyat tutar indirim cinsiyet ulke dil beden renk sure hafta durum odeme soyad
        cihaz ucret harga
    """,
    "group": """
        category cat subcategory genre department dept section aisle brand manufacturer maker producer vendor supplier seller
        publisher author writer director composer creator instructor teacher store shop branch region city town province county
        district area market segment class group cluster tag variety style cuisine topic theme collection family tier plan fold
        split partition location library warehouse folder kategorie warengruppe gruppe klasse marke hersteller verlag autor
        autorin filiale laden stadt gebiet abteilung regal verkaufer categorie rayon marque fabricant editeur auteur magasin
        boutique ville departement famille vendeur categoria genero marca fabricante editorial autora tienda ciudad provincia
        grupo canal sucursal filial genere produttore editore autore negozio citta gruppo reparto canale merk fabrikant uitgever
        schrijver winkel stad provincie afdeling editora loja cidade kategoria gatunek wydawca wydawnictwo sklep miasto grupa
        kategori varumarke tillverkare forlag forfattare butik forfatter maerke zanr znacka vyrobce nakladatel obchod prodejna
        skupina tur yazar magaza sehir yayinevi marka
    """,
    "text": """
        text review comment description desc detail summary remark feedback caption bio transcript snippet kommentar beschreibung
        bemerkung rezension meinung commentaire avis resume critique comentario descripcion resena opinion texto commento
        descrizione recensione testo opmerking omschrijving recensie tekst descricao resenha opiniao komentarz opis recenzja
        opinia tresc beskrivning recension beskrivelse anmeldelse popis komentar recenze yorum aciklama
    """,
    "code": """
        nip cd uid κωδικος код номер 번호 코드 symbol id ids key code cod nr no num number uuid guid oid hash ref reference
        identifier unique phone slug idx masked full n nb nummer kennung schlussel kennzeichen numero numer identifiant
        identificador codigo clave codice identificativo kenmerk sleutel identificacao chave kod kodu identyfikator kode cislo
        numarasi numara 番号 コード 编号
    """,
    "glue": """
        gesamt of de du des del della dello dell da do dos das la le les el los las the my your own final at by on in to from for
        van het een der die sur is has um per pour au och na
    """,
}
"""Meaning -> words, in lower case and without accents, of which a name is composed; ``later`` are times after the interaction."""
