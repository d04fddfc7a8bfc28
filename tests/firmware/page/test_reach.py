"""By which names the page is found, who is shown how to act, and HTTPS."""

import asyncio
import json
import shutil
import ssl
import threading
from pathlib import Path
from xml.etree import ElementTree

import httpx
import pytest
from click.testing import CliRunner

from firmware.cli import cli
from firmware.diagnostics import doctor
from firmware.errors import BadInput, Trouble
from firmware.page import invitation
from firmware.page.access import Keeper
from firmware.page.app import application
from firmware.page.invitation import link, svg, terminal
from firmware.page.server import Server, listen
from firmware.page.stream import Feed
from firmware.page.table_page import TablePage
from firmware.settings.config import load
from firmware.settings.reach import Invite, Reach, lan_address, neighbour
from firmware.settings.tls import Tls, readable, remaining

PEM = Path(__file__).parents[2] / "data" / "tls"


@pytest.mark.parametrize(
    "host",
    [
        "",
        "table",
        "localhost:8080",
        "192.168.1.7:8080",
        "[fe80::1]:8080",
        "Table.local",
        "table.lan",
        "table.club.example:8080",
    ],
)
def test_the_page_answers_to_addresses_and_to_names_that_nobody_can_register(host: str) -> None:
    assert Reach(names=("table.club.example",)).answers_to(host)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8080",
        "192.168.1.7.evil.example",
        "[",
        "x.local.evil.com",
        "evil.com.",
        "@",
        ":",
    ],
)
def test_a_name_that_somebody_may_have_pointed_at_us_is_not_answered_to(host: str) -> None:
    assert not Reach(names=("table.club.example",)).answers_to(host)


def test_the_address_to_tell_is_the_one_that_was_asked_for_unless_only_this_machine_knows_it() -> None:
    reach = Reach(port=8080)
    assert reach.address("192.168.1.7:8080") == "http://192.168.1.7:8080/"
    assert Reach(secure=True).address("table.local") == "https://table.local/"
    for own in ("", "localhost:8080", "127.0.0.1:8080", "0.0.0.0"):
        assert reach.address(own) == f"http://{lan_address()}:8080/"
    for one in ("127.0.0.1", "127.0.0.2", "192.168.1.7"):
        assert Reach(port=8080, host=one).address("127.0.0.1:8080") == f"http://{one}:8080/"
    assert (
        Reach(port=443, secure=True, names=("table.club.example",)).address() == "https://table.club.example/"
    )


def test_the_hosts_of_an_ipv6_network_count_as_one() -> None:
    assert neighbour("2001:db8::1") == neighbour("2001:db8::2:3") != neighbour("2001:db8:0:1::1")
    assert neighbour("::ffff:10.0.0.1") == "10.0.0.1"
    assert neighbour("10.0.0.1") != neighbour("10.0.0.2")


KEEPER = Keeper("271828", b"key", lambda: 0.0)


def ask(invite: Invite, path: str, client: str, **headers: str) -> httpx.Response:
    async def act(event: object) -> None:
        return None

    async def go() -> httpx.Response:
        app = application(TablePage(Feed(), lambda: None, KEEPER, act, reach=Reach(invite=invite)))
        transport = httpx.ASGITransport(app, client=(client, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://192.168.1.7:8080") as asking:
            return await asking.get(path, headers=headers)

    return asyncio.run(go())


@pytest.mark.parametrize(
    ("invite", "client", "token", "shown"),
    [
        ("screen", "127.0.0.1", "", False),
        ("screen", "127.0.0.1", "0" * 32, False),
        ("screen", "127.0.0.1", "ü", False),
        ("screen", "127.0.0.1", KEEPER.screen, True),
        ("tv", "10.0.0.9", "", True),
        ("never", "127.0.0.1", KEEPER.screen, False),
    ],
)
def test_the_pin_is_shown_only_where_it_was_wanted(
    invite: Invite, client: str, token: str, shown: bool
) -> None:
    told = ask(invite, f"/api/invitation?screen={token}", client).json()
    assert told == {"address": "http://192.168.1.7:8080/", "pin": "271828" if shown else None}
    code = ask(invite, f"/invitation.svg?screen={token}", client)
    wanted = link("http://192.168.1.7:8080/", KEEPER if shown else None)
    assert code.content == svg(wanted)
    assert code.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("client", "forwarded", "asker"),
    [
        ("10.0.0.9", ["1.2.3.4"], "10.0.0.9"),
        ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", ["1.2.3.4, 5.6.7.8"], "5.6.7.8"),
        ("::ffff:127.0.0.1", ["1.2.3.4", "5.6.7.8,10.0.0.2"], "5.6.7.8"),
        ("127.0.0.1", ["unknown"], "127.0.0.1"),
        ("127.0.0.1", [", ,"], "127.0.0.1"),
    ],
)
def test_only_configured_proxies_are_believed(client: str, forwarded: list[str], asker: str) -> None:
    assert Reach(proxies=("127.0.0.1", "10.0.0.2")).asker(client, forwarded) == asker


def test_a_qr_code_is_one_well_formed_picture_and_says_the_same_in_a_terminal() -> None:
    drawn = ElementTree.fromstring(svg("http://192.168.1.7:8080/"))
    assert drawn.tag.endswith("svg")
    assert terminal("http://192.168.1.7:8080/").count("\n") > 10
    assert "#join=271828." in link("http://192.168.1.7:8080/", KEEPER)


def test_another_sites_name_for_our_address_gets_nothing() -> None:
    answer = ask("tv", "/api/invitation", "10.0.0.9", host="evil.example")
    assert answer.status_code == 421
    assert "271828" not in answer.text


TLS = Tls(PEM / "certificate.pem", PEM / "key.pem")


def test_the_page_is_served_over_https_and_its_cookie_is_secure() -> None:
    async def go() -> tuple[str, httpx.Response]:
        client = ssl.create_default_context(cafile=str(TLS.certificate))
        async with (
            Server(TablePage(Feed(), lambda: None, KEEPER), listen("127.0.0.1", 0, 0), tls=TLS) as server,
            httpx.AsyncClient(base_url=server.address, verify=client) as asking,
        ):
            return server.address, await asking.post("/api/pin", json={"pin": "271828"})

    address, answer = asyncio.run(go())
    assert address.startswith("https://127.0.0.1:")
    assert "secure" in answer.headers["set-cookie"].lower()


@pytest.mark.parametrize(
    ("certificate", "key", "reason"),
    [
        ("certificate.pem", "other.pem", "belong together"),
        ("certificate.pem", "locked.pem", "must not have a password"),
        ("certificate.pem", "none.pem", "cannot read"),
        ("key.pem", "key.pem", "must be PEM"),
    ],
)
def test_a_certificate_that_cannot_serve_is_told(certificate: str, key: str, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        Tls(PEM / certificate, PEM / key).context()


def test_how_long_a_certificate_counts_is_known() -> None:
    assert remaining(TLS) > 50 * 365 * 86400
    assert remaining(Tls(PEM / "expired.pem", PEM / "key.pem")) < 0


def test_a_key_that_everybody_can_read_is_noticed(tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    shutil.copyfile(TLS.key, key)
    key.chmod(0o640)
    assert not readable(Tls(TLS.certificate, key))
    key.chmod(0o644)
    assert readable(Tls(TLS.certificate, key))


def configured(folder: Path, certificate: Path, key: Path) -> Path:
    path = folder / "barpoint.toml"
    path.write_text(
        '[page]\nport = 0\nhost = "127.0.0.1"\nnames = ["table.club.example"]\ncertificate ='
        f' "{certificate}"\nkey = "{key}"\n'
    )
    return path


def test_the_doctor_says_how_long_a_certificate_counts_and_what_is_wrong_with_one(tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    shutil.copyfile(TLS.key, key)
    key.chmod(0o640)
    assert "its certificate is valid for" in doctor.page(load(configured(tmp_path, TLS.certificate, key)))
    with pytest.raises(Trouble, match="has ended"):
        doctor.page(load(configured(tmp_path, PEM / "expired.pem", key)))
    with pytest.raises(Trouble, match="belong together"):
        doctor.page(load(configured(tmp_path, TLS.certificate, PEM / "other.pem")))
    key.chmod(0o644)
    with pytest.raises(Trouble, match="chmod o-r"):
        doctor.page(load(configured(tmp_path, TLS.certificate, key)))


def test_a_certificate_needs_its_key(tmp_path: Path) -> None:
    path = tmp_path / "barpoint.toml"
    path.write_text('[page]\ncertificate = "x"\n')
    with pytest.raises(BadInput, match=r"page.key: give both a certificate and its key, or neither"):
        load(path)


def test_a_table_with_a_wrong_certificate_does_not_begin(tmp_path: Path) -> None:
    path = configured(tmp_path, TLS.certificate, PEM / "other.pem")
    told = CliRunner().invoke(cli, ["run", "--config", str(path), "--state", str(tmp_path / "state")])
    assert isinstance(told.exception, BadInput)  # which ends the program with 2
    assert "belong together" in str(told.exception)
    assert not (tmp_path / "state" / "journal.db").exists()


def test_barpoint_pin_has_a_code_for_phones_where_somebody_reads_it(tmp_path: Path) -> None:
    path = configured(tmp_path, TLS.certificate, TLS.key)
    asked = ["pin", "--config", str(path), "--state", str(tmp_path / "state")]
    plain = CliRunner().invoke(cli, asked).output
    assert len(plain.split()) == 1
    shown = CliRunner().invoke(cli, [*asked, "--qr"]).output
    assert shown.startswith(plain)
    assert "https://127.0.0.1:0/" in shown
    told = json.loads(CliRunner().invoke(cli, [*asked, "--json"]).output)
    assert told["pin"] == plain.strip()
    assert terminal(told["link"]) in shown


@pytest.mark.parametrize("host", ["a" * 64, f"{'a.' * 130}local", "table/a", "a@table", f"table:{'0' * 260}"])
def test_a_name_that_nothing_can_have_gets_no_code(host: str) -> None:
    assert not Reach().answers_to(host)
    assert Reach(port=8080).address(host) == f"http://{lan_address()}:8080/"
    assert ask("never", "/invitation.svg", "10.0.0.9", Host=host).status_code == 421


def test_codes_are_drawn_beside_the_event_loop_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[int] = []
    drawn = invitation.code
    monkeypatch.setattr(
        invitation, "code", lambda text: (threads.append(threading.get_ident()), drawn(text))[1]
    )
    invitation.svg.cache_clear()
    for _ in range(2):
        assert ask("never", "/invitation.svg", "10.0.0.9").status_code == 200
    assert len(threads) == 1
    assert threads[0] != threading.get_ident()
