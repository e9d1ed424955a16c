"""Common names of user, item, rating, score and time columns, and functions that find the role of each column of a file."""

import logging
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from recsens.errors import DataError

_log = logging.getLogger(__name__)

_COUNTS = (
    *("plays", "playcount", "watchcount", "viewcount", "listencount", "listens", "count", "views", "frequency", "clicks", "weight"),
    *("playtime", "playtimeforever", "streams", "pageviews"),
)
"""Names of columns of counts, whose lowest is already positive."""


def _without_accents(text: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))


_CALLED = {
    "user": """
        user u uid customer client reviewer member visitor account person buyer kunde kunden nutzer benutzer usuario utilisateur
        utente userpseudo household reviewprofile 用户 ユーザー viewer listener session student reader profile email mail
        emailaddress loyaltycard card cartefidélité borrower patron rater voter taster donor candidate guest passenger rider
        resident learner patient subject actor fromuser ausweis depot cliente acheteur kunnr cust consumer gebruiker klient hóspede
        matrícula kullanıcı teilnehmer participant respondent responseid critic entity player shopper subj csuser kundenkarte
        debitor lener klant användare kund bruger bruker käyttäjä asiakas użytkownik uživatel zákazník felhasználó utilizator
        müşteri membre abonné lecteur étudiant estudiante alumno aluno studente schüler клиент користувач χρήστης 使用者 顾客 顧客
        회원 고객 пользователь слушатель покупатель читатель 用户名 会员 会員 利用者 المستخدم 사용자 anonymous distinct domainuser
        fullvisitor subscriber follower contributor editor applicant employee traveler traveller annotator nick nickname
        login handle kd klienta kdnr
    """,
    "item": """
        item i iid movie product asin parentasin sku article book isbn song track artist business recipe game contentid anime beer
        video news story course hotel place artikel productean ean app url gmap stockcode produkt producto produit prodotto film
        lineitemsku clickarticle 商品 movietitle listing offer episode show joke venue poi matnr material media prod товар artículo
        articulo articolo towar merchant restaurant object repo touser jobid postid pageid problemid exerciseid questionid driverid
        drug channel facility campaign campaigntitle exhibit messageid restaurante ristorante wine iwine package eventcontext
        signatur isin asignatura ricetta recette receta rezept libro livre buch pousada фильм книга трек песня 电影 电影名 title
        titel titolo titre título tytuł название record album service site stim csuristem stimulus targetentity exercise question
        lesson kurs curso corso cours boek bok bog książka kniha könyv kitap produto produs ürün tuote vare termék película filme
        elokuva canción canzone chanson lied música musica 商品名 書名 作品 映画 影片 歌曲 图书 資料 書籍 الكتاب الفيلم المنتج 영화
        상품 ratee bib bibnumber art artnr produktu podcast program programme stream post tweet pin job vacancy paper dish
        food coupon attraction museum destination ticker fund vehicle accommodation apartment document
    """,
    "rating": """
        rating r score stars overall preference reviewoverall bookrating value label relevance relevant liked like click clicked
        watchratio bewertung wertung vote grade ratingval ratingvalue reviewscore userscore sterne nota voto оценка correct
        puntuacion puntuación valoracion valoración 评分 評価 note cijfer betyg karakter arvosana hodnocení értékelés vurdering
        beoordeling avaliação valutazione évaluation calificación puntaje değerlendirme рейтинг оцінка βαθμολογία 评价 得点 별점
        resp recommend recommended ocena puan satisfaction thumb التقييم 평점 star listened favorited favourited favorite favourite
        completed finished
    """,
    "timestamp": """
        timestamp t ts time date datetime unixreviewtime reviewtime unixtime eventtime created createdat ordered orderedat orderts
        invoicedate orderdate purchased purchasedat purchasedate bought boughtat eventtimestamp clicktimestamp reviewtimestamp datum
        fecha дата 时间 日期 tijdstip zeitpunkt tidpunkt horodatage 日時 投稿日 czas orario dateadded added addedat createdon
        createddate
    """,
}

ROLES: dict[str, tuple[str, ...]] = {role: tuple(_without_accents(names).split()) for role, names in _CALLED.items()}
ROLES["rating"] += _COUNTS
"""Role -> names of its column, in lower case. Blanks, a plural ``s``, RecBole's type and, in users and items, a final ``id`` are
removed first.
"""

_VAGUE = frozenset(
    (
        *("title", "titel", "titolo", "titre", "titulo", "tytuł", "название", "record", "album", "service", "site", "question"),
        *("value", "count", "star", "listened", "favorite", "favorited", "favourite", "favourited", "completed", "finished"),
    )
)
"""Names that another column has a better claim to: a title may be Mr, that of a review, or that of a product."""

_FIRST: dict[str, tuple[str, ...]] = {
    "user": ("user", "u", "uid"),
    "item": ("item", "i", "iid", "parentasin"),
    "rating": ("rating", "r"),
    "timestamp": ("timestamp", "ts", "t", "time"),
    "score": ("score", "prediction", "predictedrating", "est"),
    "rank": ("rank",),
}
"""Role -> the names to look for first: in a file with ``user_id`` and ``session_id``, ``user_id`` is the user."""

_NEXT: dict[str, tuple[str, ...]] = ROLES | {
    "user": (*ROLES["user"], "query"),
    # A file with a column of scores is a run; it must not be mistaken for judgements.
    "rating": tuple(name for name in ROLES["rating"] if name != "score"),
}
"""Role -> the names to look for if a file has none of those in ``_FIRST``."""


Label = Literal["model", "fold"]
"""What a column may name: the system of a row, or its fold."""

_LABELLED: dict[Label, tuple[str, ...]] = {"model": ("model", "algorithm", "recommender"), "fold": ("isplit", "fold", "partition")}
"""Column names for each label, without capitals and punctuation; RecTools uses ``model`` and ``i_split``."""

LABELS: tuple[Label, ...] = tuple(_LABELLED)

_NUMBERED = re.compile(
    r"(?<=\w{4})(?:nummer|number|num|nr|no|key|code|kodu|barcode|idx|[ug]uid|oid|sku|hash|uniqueid|fullname|e?mail|e?mailaddress|"
    r"phone|uri|slug)$"
    rf"|^(?:code|cod)(?=\w{{3}})|(?<=\w{{2}})(?:番号|{_without_accents('コード')}|编号)$"
)
"""Ends and beginnings of names of users and items besides ``id``."""

_BEFORE = re.compile(r"(?i)(?:n[°º]|№|no\.|nr|id|cod[eé]?|cód(?:igo)?|codigo|kod|cpf|r[eé]f)[\W_]+")
"""Words before names of users and items, such as ``cod_produto`` and ``N° client``."""

_N_OF = re.compile(r"^(?:number|num|nr|nb|n)(?:of)?(?=\w{4})")
"""Beginnings of names of counts, such as ``n_plays``."""

_OTHERS_RATING = re.compile(
    r"avg|average|mean|member|predicted|expected|imdb|critic|max|min|num|total|credit|content|age|count|date|time|id$|text|source"
)
"""Words beside ``rating`` that show that it is not one user's rating of an item."""


def role_called(name: str | int) -> str | None:
    """Return the role that a column's name indicates, if any.

    Examples
    --------
    >>> [role_called(name) for name in ("user_id:token", "movieId", "Stars", "ordered at", "price")]
    ['user', 'item', 'rating', 'timestamp', None]
    """
    return next((role for role in ROLES if _means(name, role, ROLES)), None)


def column_of(where: str, role: str, names: Sequence[str]) -> str:
    """Return the file's column for a role: the column with the role's own name, or else the only one with an equivalent name.

    ``user_id``, ``userId``, ``uid`` and RecBole's ``user_id:token`` are equivalent to ``user``. If no column has an equivalent
    name, the role itself is returned.

    Raises
    ------
    DataError
        If several columns have equivalent names, but none has the role's own name.
    """
    if role in names:
        return role
    first = [name for name in names if _means(name, role, _FIRST)]
    fitting = first or [name for name in names if _means(name, role, _NEXT)]
    fitting = [name for name in fitting if not describes(name)] or fitting
    if len(fitting) > 1:
        listed = " and ".join(f"'{name}'" for name in fitting)
        raise DataError(f"{listed} could both be the {role}", where=where, remedy=f"declare {role}=, or rename the others")
    return fitting[0] if fitting else role


def describes(name: str | int) -> bool:
    """Whether a column's name says that it holds titles or addresses, which give way to codes of users and items."""
    return re.search(r"(?i)(?:name|title|titel|titolo|titre|título|e-?mail)$", str(name)) is not None


def tell(source: str, columns: Mapping[str, str]) -> None:
    """Log which columns of a file have which roles, except columns that have the name of their role."""
    taken = [f"'{name}' as {role}" for role, name in columns.items() if name != role]
    if taken:
        _log.info("%s: columns read: %s", source, ", ".join(taken))


def counts_by_name(name: str | int | None) -> bool:
    """Whether a column's name says that its numbers are counts, such as plays: the lowest is already positive."""
    return name is not None and _N_OF.sub("", _plain(name)) in _COUNTS


def weakness(name: str | int, role: str) -> int:
    """Return how weak a claim to a role a column's name makes: 0 for a first name, such as ``user_id``, 2 for a vague one."""
    return 0 if _means(name, role, _FIRST) else 1 + (re.sub("^is|id$|(?<=e)s$", "", _plain(name)) in _VAGUE)


def _means(name: str | int, role: str, known: Mapping[str, Sequence[str]]) -> bool:
    """Whether a column has one of a role's names, up to capitals, punctuation and a plural; users and items may end in ``id``."""
    plain = _plain(name)
    forms = {plain, plain.removesuffix("s")}
    if role == "rating":
        forms |= {plain.removeprefix("is"), *_COUNTS[: counts_by_name(name)]}
    if role in {"user", "item"}:
        forms.add(re.sub(r"[0-9]?ids?$", "", plain))
        if known is not _FIRST:
            forms.add(_plain(_BEFORE.sub("", str(name), count=1)))
            forms |= {plain.removesuffix("name"), plain.removeprefix("id"), _NUMBERED.sub("", plain)}
    is_a_rating = (
        role == "rating" and re.match("rating|.*rating$", plain) and known is not _FIRST and not _OTHERS_RATING.search(plain)
    )
    owner, _, inner = str(name).rpartition(".")
    is_inner = owner and role != "rating" and _means(inner, role, known)
    return bool(is_a_rating or is_inner) or not forms.isdisjoint(known.get(role, ()))


def _plain(name: str | int) -> str:
    return _without_accents(re.sub(r"\(.*?\)|\.\$[a-z]+$|[\W_]", "", str(name).partition(":")[0].lower()))


def label_columns(names: Iterable[str]) -> dict[str, str]:
    """Return the column for each label: the first of the label's names that is a column of the table."""
    plain = {_plain(name): name for name in names}
    found: dict[str, str | None] = {
        label: next((plain[each] for each in called if each in plain), None) for label, called in _LABELLED.items()
    }
    return {label: name for label, name in found.items() if name is not None}
