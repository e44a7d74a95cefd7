"""Data files of CANDLE models: fetched once, checked, resumed, unpacked
safely. The server is on this machine."""

import contextlib
import hashlib
import http.server
import io
import multiprocessing
import os
import tarfile
import threading
import unittest
import zipfile
from unittest import mock

from candle_place import Candle

from throng import candle
from throng.candle import fetch, unpack

DATA = bytes(range(256)) * 4096  # 1 MiB
MD5 = hashlib.md5(DATA).hexdigest()
SHA256 = hashlib.sha256(DATA).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves server.files; can break off, forget ranges and change tags."""

    def do_GET(self):
        server = self.server
        with server.lock:
            server.asked.append((self.path, self.headers.get("Range")))
            first = len(server.asked) == 1
        data = server.files.get(self.path)
        if data is None or (server.fail_first and first):
            self.send_error(503 if data is not None else 404)
            return
        begin = 0
        given = self.headers.get("Range")
        if given and server.ranges and \
                self.headers.get("If-Range") == server.tag:
            begin = int(given[len("bytes="):-1])
            if begin >= len(data):
                self.send_error(416)
                return
            self.send_response(206)
            self.send_header("Content-Range", "bytes %d-%d/%d" % (
                begin, len(data) - 1, len(data)))
        else:
            self.send_response(200)
        if server.tag:
            self.send_header("ETag", server.tag)
        self.send_header("Content-Length", str(len(data) - begin))
        self.end_headers()
        end = len(data)
        if server.break_at is not None and begin < server.break_at:
            end = server.break_at
        server.gate.wait(20)
        self.wfile.write(data[begin:end])

    def log_message(self, *words):
        pass


class Served(Candle):
    def setUp(self):
        super().setUp()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0),
                                                      Handler)
        self.server.lock, self.server.asked = threading.Lock(), []
        self.server.files = {"/d/data.bin": DATA}
        self.server.ranges, self.server.tag = True, '"one"'
        self.server.break_at, self.server.fail_first = None, False
        self.server.gate = threading.Event()
        self.server.gate.set()
        thread = threading.Thread(target=self.server.serve_forever,
                                  kwargs={"poll_interval": 0.01})
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        os.environ["CANDLE_DATA_DIR"] = self.folder + "/cache"
        os.environ["no_proxy"] = "*"
        pause = mock.patch.object(fetch, "PAUSE_S", 0.01)
        pause.start()
        self.addCleanup(pause.stop)

    def url(self, name="d/data.bin"):
        return "http://127.0.0.1:%d/%s" % (self.server.server_port, name)

    def left(self):
        """What is in the cache's folder."""
        return sorted(os.listdir(self.folder + "/cache/P1"))

    def content(self, path):
        with open(path, "rb") as file:
            return file.read()


class Fetching(Served):
    def test_a_file_is_fetched_once(self):
        for _ in range(2):
            path = candle.fetch_file(self.url(), "P1", md5_hash=MD5)
        self.assertEqual(path, self.folder + "/cache/P1/data.bin")
        self.assertEqual(self.content(path), DATA)
        self.assertEqual(len(self.server.asked), 1)
        self.assertEqual(self.left(), ["data.bin"])

    def test_with_a_folder_of_its_own(self):
        path = candle.get_file("x.bin", self.url(), datadir=self.folder,
                               cache_subdir="", sha256_hash=SHA256)
        self.assertEqual(path, self.folder + "/x.bin")

    def test_what_is_there_may_be_read_only(self):
        path = candle.fetch_file(self.url(), "P1", md5_hash=MD5)
        with mock.patch.object(fetch, "locked", side_effect=PermissionError):
            self.assertEqual(candle.fetch_file(self.url(), "P1",
                                               md5_hash=MD5), path)

    def test_a_wrong_sum_is_refused_after_the_fetch(self):
        for kind, wrong in (("MD5", {"md5_hash": "0" * 32}),
                            ("SHA256", {"sha256_hash": "0" * 64})):
            with self.assertRaisesRegex(fetch.FetchError,
                                        "its %s sum is" % kind):
                candle.fetch_file(self.url(), "P1", **wrong)
            self.assertEqual(self.left(), [])

    def test_a_damaged_file_is_fetched_again(self):
        path = candle.fetch_file(self.url(), "P1", md5_hash=MD5)
        with open(path, "wb") as file:
            file.write(b"damaged")
        candle.fetch_file(self.url(), "P1", md5_hash=MD5.upper())
        self.assertEqual(self.content(path), DATA)
        with self.assertRaises(fetch.FetchError):
            candle.fetch_file(self.url(), "P1", md5_hash="1" * 32)
        self.assertEqual(self.content(path), DATA)

    def test_a_sum_that_is_none(self):
        with self.assertRaisesRegex(ValueError, "32 hexadecimal digits"):
            candle.fetch_file(self.url(), "P1", md5_hash="abc")
        self.assertEqual(self.server.asked, [])

    def test_validate_file(self):
        path = candle.fetch_file(self.url(), "P1")
        self.assertTrue(candle.validate_file(path, MD5.upper()))
        self.assertTrue(candle.validate_file(path, SHA256))
        self.assertFalse(candle.validate_file(path, "0" * 32))

    def test_many_at_once_fetch_it_once(self):
        self.server.gate.clear()
        context = multiprocessing.get_context("fork")
        results = context.Queue()
        others = [context.Process(target=lambda: results.put(
            candle.fetch_file(self.url(), "P1", md5_hash=MD5)))
            for _ in range(6)]
        for process in others:
            process.start()
        self.server.gate.set()
        paths = {results.get(timeout=250) for _ in others}
        for process in others:
            process.join(60)
        self.assertEqual(paths, {self.folder + "/cache/P1/data.bin"})
        self.assertEqual(len(self.server.asked), 1)
        self.assertEqual(self.left(), ["data.bin"])

    def test_a_broken_fetch_goes_on_where_it_ended(self):
        self.server.break_at = 300000
        path = candle.fetch_file(self.url(), "P1", md5_hash=MD5)
        self.assertEqual(self.content(path), DATA)
        self.assertEqual([r for _, r in self.server.asked],
                         [None, "bytes=300000-"])

    def test_the_next_run_goes_on_too(self):
        self.server.break_at = 300000
        with mock.patch.object(fetch, "TRIES", 1), \
                self.assertRaisesRegex(fetch.FetchError, "300000 of 1048576"):
            candle.fetch_file(self.url(), "P1")
        self.assertEqual(self.left(), [".data.bin.part",
                                       ".data.bin.part.tag"])
        path = candle.fetch_file(self.url(), "P1")
        self.assertEqual(self.content(path), DATA)
        self.assertEqual(self.server.asked[-1][1], "bytes=300000-")
        self.assertEqual(self.left(), ["data.bin"])

    def test_another_file_by_then_is_fetched_whole(self):
        self.server.break_at = 300000
        with mock.patch.object(fetch, "TRIES", 1), \
                self.assertRaises(fetch.FetchError):
            candle.fetch_file(self.url(), "P1")
        self.server.tag, self.server.break_at = '"two"', None
        self.server.files["/d/data.bin"] = DATA[::-1]
        path = candle.fetch_file(self.url(), "P1")
        self.assertEqual(self.content(path), DATA[::-1])

    def test_a_shorter_one_by_then_too(self):
        self.server.break_at = 300000
        with mock.patch.object(fetch, "TRIES", 1), \
                self.assertRaises(fetch.FetchError):
            candle.fetch_file(self.url(), "P1")
        self.server.files["/d/data.bin"] = b"short"
        path = candle.fetch_file(self.url(), "P1")
        self.assertEqual(self.content(path), b"short")

    def test_a_server_without_ranges_or_tags(self):
        for ranges, tag in ((False, '"one"'), (True, "")):
            self.server.ranges, self.server.tag = ranges, tag
            self.server.break_at = 300000
            with mock.patch.object(fetch, "TRIES", 1), \
                    self.assertRaises(fetch.FetchError):
                candle.get_file("f%s.bin" % ranges, self.url(),
                                cache_subdir="P1")
            self.server.break_at = None
            path = candle.get_file("f%s.bin" % ranges, self.url(),
                                   cache_subdir="P1")
            self.assertEqual(self.content(path), DATA)

    def test_a_busy_server_is_asked_again(self):
        self.server.fail_first = True
        candle.fetch_file(self.url(), "P1")
        self.assertEqual(len(self.server.asked), 2)

    def test_what_is_not_there_is_not_asked_for_twice(self):
        with self.assertRaisesRegex(fetch.FetchError, "404"):
            candle.fetch_file(self.url("gone"), "P1")
        self.assertEqual(len(self.server.asked), 1)

    def test_addresses_that_are_none(self):
        with self.assertRaisesRegex(fetch.FetchError, "must begin with"):
            candle.fetch_file("ftp.mcs.anl.gov/x.csv", "P1")
        with self.assertRaisesRegex(fetch.FetchError, "no name"):
            candle.fetch_file("http://host/", "P1")
        with self.assertRaisesRegex(fetch.FetchError, "no name"):
            candle.get_file("../x", self.url())
        with self.assertRaisesRegex(fetch.FetchError, "asks for a login"):
            candle.fetch_file("https://modac.cancer.gov/api/x.csv", "P1")
        with self.assertRaisesRegex(fetch.FetchError, "cannot be unpacked"):
            candle.fetch_file(self.url(), "P1", unpack=True)


def tar(entries, mode="w:gz"):
    """An archive of (name, bytes), ("name", "-> target"), or TarInfo."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for entry in entries:
            if isinstance(entry, tarfile.TarInfo):
                archive.addfile(entry)
                continue
            name, content = entry
            info = tarfile.TarInfo(name)
            if isinstance(content, str):
                info.type, info.linkname = tarfile.SYMTYPE, content[3:]
                archive.addfile(info)
            elif content is None:
                info.type, info.mode = tarfile.DIRTYPE, 0o755
                archive.addfile(info)
            else:
                info.size, info.mode = len(content), 0o644
                archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def zipped(entries):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return out.getvalue()


def special(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


class Unpacking(Served):
    def fetch(self, name, data, **options):
        self.server.files["/" + name] = data
        return candle.fetch_file(self.url(name), "P1", **options)

    def forget(self, name):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.folder + "/cache/P1/" + name)

    def test_archives_are_unpacked(self):
        entries = [("set/a.csv", b"1"), ("set/deep/b.csv", b"2")]
        for name, data in [("set.tar.gz", tar(entries)),
                           ("set.tgz", tar(entries)),
                           ("set.zip", zipped(entries)),
                           ("set.tar.xz", tar(entries, "w:xz"))]:
            path = self.fetch(name, data, md5_hash=hashlib.md5(
                data).hexdigest())
            self.assertEqual(path, self.folder + "/cache/P1/set")
            self.assertEqual(self.content(path + "/deep/b.csv"), b"2")
            self.assertEqual(self.left(), ["set", name])
            os.rename(path, self.folder + "/" + name)
            os.unlink(self.folder + "/cache/P1/" + name)

    def test_untar_as_the_tutorial_writes_it(self):
        self.server.files["/P3B1_data.tgz"] = tar([("P3B1_data/x", b"x")])
        path = candle.get_file("P3B1_data.tgz", self.url("P3B1_data.tgz"),
                               untar=True, md5_hash=None, cache_subdir="P1")
        self.assertEqual(os.listdir(path), ["x"])

    def test_one_without_the_top_folder_gets_it(self):
        path = self.fetch("flat.zip", zipped([("a", b"1"), ("b", b"2")]))
        self.assertEqual(sorted(os.listdir(path)), ["a", "b"])
        self.assertEqual(self.left(), ["flat", "flat.zip"])

    def test_a_new_archive_replaces_what_the_old_one_held(self):
        old, new = (tar([("set/a", c)]) for c in (b"old", b"new"))
        self.fetch("set.tgz", old)
        path = self.fetch("set.tgz", new,
                          md5_hash=hashlib.md5(new).hexdigest())
        self.assertEqual(self.content(path + "/a"), b"new")

    def test_the_unpacked_alone_is_enough(self):
        data = tar([("set/a", b"1")])
        self.fetch("set.tgz", data)
        os.unlink(self.folder + "/cache/P1/set.tgz")
        self.fetch("set.tgz", data, md5_hash=hashlib.md5(data).hexdigest())
        self.assertEqual(len(self.server.asked), 1)

    def test_links_inside_are_kept(self):
        path = self.fetch("set.tgz", tar([
            ("set", None), ("set/a", b"1"), ("set/deep/l", "-> ../a"),
            special("set/h", tarfile.LNKTYPE, "set/a")]))
        self.assertEqual(self.content(path + "/deep/l"), b"1")
        self.assertEqual(self.content(path + "/h"), b"1")

    def test_nothing_leads_out(self):
        bad = {
            "up": tar([("bad/ok", b"1"), ("bad/../../out", b"2")]),
            "root": tar([("/tmp/out", b"2")]),
            "link out": tar([("bad/l", "-> ../../out")]),
            "link to root": tar([("bad/l", "-> /etc")]),
            "through a link": tar([("bad/l", "-> ."), ("bad/l/out", b"2")]),
            "through its target": tar([("bad/a/b", None), ("bad/l", "-> a/b"),
                                       ("bad/m", "-> l/../../out")]),
            "link, then file": tar([("bad/l", "-> a"), ("bad/l", b"2")]),
            "hard link out": tar([special("bad/h", tarfile.LNKTYPE,
                                          "../../out")]),
            "hard link to nothing": tar([special("bad/h", tarfile.LNKTYPE,
                                                 "bad/gone")]),
            "device": tar([special("bad/d", tarfile.CHRTYPE)]),
            "pipe": tar([special("bad/p", tarfile.FIFOTYPE)])}
        for name, data in bad.items():
            with self.subTest(name):
                self.forget("bad.tgz")
                with self.assertRaises(unpack.UnsafeArchive):
                    self.fetch("bad.tgz", data)
                self.assertEqual(self.left(), ["bad.tgz"])
        self.assertEqual(sorted(os.listdir(self.folder)), ["cache"])

    def test_nor_in_zip_files(self):
        link = zipfile.ZipInfo("bad/l")
        link.external_attr = 0o120777 << 16
        for entries in ([("../out", b"1")], [("/out", b"1")],
                        [("a\\..\\out", b"1")], [(link, b"/etc")]):
            self.forget("bad.zip")
            with self.assertRaises(unpack.UnsafeArchive):
                self.fetch("bad.zip", zipped(entries))
            self.assertEqual(self.left(), ["bad.zip"])

    def test_what_is_no_archive(self):
        whole = zipped([("z/a", DATA)])
        for name, data in (("x.tgz", b"not packed at all"),
                           ("y.tgz", tar([("y/a", DATA)])[:500]),
                           ("z.zip", whole[:500]),
                           ("z.zip", whole.replace(DATA[:9], b"otherwise"))):
            with self.subTest(name), self.assertRaisesRegex(
                    unpack.BrokenArchive, "%s is no archive .* removed" % name):
                self.fetch(name, data)
            self.assertEqual(self.left(), [])

    def test_a_broken_archive_is_fetched_anew(self):
        data = tar([("y/a", b"1")])
        self.fetch("x.csv", b"makes the folder")
        with open(self.folder + "/cache/P1/y.tgz", "wb") as file:
            file.write(data[:50])
        path = self.fetch("y.tgz", data)
        self.assertEqual(self.content(path + "/a"), b"1")

    def test_one_that_is_as_its_sum_says_stays(self):
        data = tar([("y/a", DATA)])[:500]
        with self.assertRaisesRegex(unpack.BrokenArchive, "no archive"):
            self.fetch("y.tgz", data, md5_hash=hashlib.md5(data).hexdigest())
        self.assertEqual(self.left(), ["y.tgz"])


if __name__ == "__main__":
    unittest.main()
