"""Video: the frames that the engine draws or that a file has, and faults of such a file."""

import pickle
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from penstock import InputError, Scenario, Sweep, run
from penstock.video import Video

RECORDINGS = Path(__file__).parent.parent.parent / "shared" / "data" / "video-frame-sizes"
"""Real recordings, if present; they are not part of this repository."""

SCENARIO = """\
duration = "1 s"

[line.trunk]
between = ["left", "right"]
rate = "156 Mb/s"

[flow.video]
count = 3
path = ["left", "right"]
"""
MPEG = SCENARIO + "traffic.mpeg = {}\n"
REPLAY = SCENARIO + 'traffic.replay = { file = "clip.txt", frames_per_second = 25 }\n'
CLIP = "# index type bytes\n1 I 9000\n2 B 1200\n3 P 4000\n\n4 B 800\n"


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    (tmp_path / "clip.txt").write_text(CLIP, encoding="utf-8")
    path = tmp_path / "clip.toml"
    path.write_text(REPLAY, encoding="utf-8")
    return path


def test_mean_and_peak_of_the_generator_are_exact() -> None:
    scenario = Scenario.parse(MPEG)
    seen = set()
    for seed, replication in [(1, 0), (1, 1), (2, 0)]:
        video = Video.of(scenario, "video", seed, replication)
        assert video.mean_bps == 4_500_000
        # The peak is a whole number of bits in each frame: 494 667 where 14.84 Mb/s would be 494 666 2/3.
        assert video.peak_bps == 494_667 * 30
        seen.add(tuple(video.frame_bits))
    assert len(seen) == 3


def test_the_group_of_pictures_shows_in_the_autocorrelation() -> None:
    video = Video.of(Scenario.parse(MPEG), "video")
    found = video.autocorrelation(40)
    assert found[0] == pytest.approx(1.0)
    # I frames coincide with I frames after 12, 24 and 36; P frames with P or I frames after 3; the least is between.
    assert found[12] > 0.9
    assert np.argsort(found)[::-1][:4].tolist() in ([0, 12, 24, 36], [0, 12, 36, 24])
    assert found[3] > 0.0 > found[1]
    bits = np.array(video.frame_bits, dtype=float)
    bits -= bits.mean()
    assert found[7] == pytest.approx(float(np.sum(bits * np.roll(bits, 7)) / np.sum(bits * bits)))


def test_a_recording_is_read_beside_the_scenario(clip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = Scenario.load(clip)
    replay = scenario.tree["flow"]["video"]["traffic"]["replay"]
    assert replay["frames"] == [9000, 1200, 4000, 800]
    assert "file" not in replay
    video = Video.of(scenario, "video")
    assert video.frame_bits == [72_000, 9_600, 32_000, 6_400]
    assert (video.mean_bps, video.peak_bps) == (750_000.0, 1_800_000.0)
    # Complete: it means the same without the file, in any place.
    (clip.parent / "clip.txt").unlink()
    monkeypatch.chdir("/")
    assert Scenario.parse(scenario.to_toml()) == scenario
    assert pickle.loads(pickle.dumps(scenario)) == scenario
    assert Scenario(scenario.to_json(), "json") == scenario


def test_what_is_sent_is_what_was_recorded(clip: Path) -> None:
    changes = {"duration": "3.2 s", "flow.video.traffic.replay.sending": {"phase": "zero", "header": 5}}
    result = run(Scenario.load(clip).with_(changes))
    # 20 times the four frames, whose 120 000 bits go in cells of 384: 6250, and a flow at an end may be one cell ahead.
    assert all(6250 <= sent <= 6251 for sent in result.flows["sent"])


def test_other_data_are_another_scenario(clip: Path) -> None:
    scenario = Scenario.load(clip)
    (clip.parent / "other.txt").write_text("9000\n1200\n4000\n801\n", encoding="utf-8")
    other = scenario.with_({"flow.video.traffic.replay.file": "other.txt"})
    assert other != scenario
    assert other.frames("video")[0][3] == 6408
    (clip.parent / "again.txt").write_text("9000\n1200\n4000\n800\n", encoding="utf-8")
    assert scenario.with_({"flow.video.traffic.replay.file": "again.txt"}) == scenario


def test_a_sweep_goes_over_files(clip: Path, tmp_path: Path) -> None:
    (clip.parent / "small.txt").write_text("450\n60\n200\n40\n", encoding="utf-8")
    axis = '[sweep]\n[[sweep.axis]]\n"flow.video.traffic.replay.file" = ["clip.txt", "small.txt"]\n'
    clip.write_text(REPLAY + axis, encoding="utf-8")
    table = Sweep.load(clip).run(tmp_path / "out").table("groups")
    sent = table.sort("point").get_column("sent_bits" if "sent_bits" in table.columns else "sent").to_list()
    assert sent[0] == pytest.approx(20 * sent[1], rel=0.1)


@pytest.mark.parametrize(
    ("text", "more", "words"),
    [
        ("1 I 9000\n2 B\n", "", ["line 10", "clip.txt", "line 2 of the file", "2 columns"]),
        ("9000\nmany\n", "", ["line 2 of the file", "many", "whole number"]),
        ("9000\n-1\n", "", ["line 2 of the file", "-1"]),
        ("# none\n", "", ["the file has no frame sizes"]),
        ("0\n0\n", "", ["every frame is empty"]),
        ("1\n" * 100_001, "", ["line 100001 of the file", "100000 frames"]),
        ("9000\n", "column = 2, ", ["no column 2"]),
        ("9000\n", 'sending = { burst = "1 Mb/s" }, ', ["sending.burst", "72000 bits"]),
        ("9000\n", "sending = { header = 53 }, ", ["sending.header", "53 octets"]),
        ("\x00", "", ["binary"]),
        (None, "", ["line 10", "clip.txt", "no such file", "folder of the scenario"]),
    ],
)
def test_files_that_cannot_be_used(clip: Path, text: str | None, more: str, words: list[str]) -> None:
    recording = clip.parent / "clip.txt"
    if text is None:
        recording.unlink()
    else:
        recording.write_text(text, encoding="utf-8")
    clip.write_text(REPLAY.replace("frames_per", f"{more}frames_per"), encoding="utf-8")
    with pytest.raises(InputError) as raised:
        Scenario.load(clip)
    told = str(raised.value)
    assert told.startswith(str(clip)), told
    for word in words:
        assert word in told, told


def test_groups_without_frames_are_refused(small: Scenario) -> None:
    for group, words in [("steady", "no video frames"), ("nobody", "no such group")]:
        with pytest.raises(InputError, match=words):
            small.frames(group)


def test_a_long_recording_stays_usable(clip: Path, tmp_path: Path) -> None:
    sizes = np.random.default_rng(1).integers(500, 20_000, 40_000)
    (clip.parent / "clip.txt").write_text("\n".join(map(str, sizes)), encoding="utf-8")
    scenario = Scenario.load(clip)
    assert sum(scenario.frames("video")[0]) == 8 * int(sizes.sum())
    sweep = Sweep(scenario, [{"line.trunk.rate": ["100 Mb/s", "120 Mb/s", "140 Mb/s"]}], replications=2)
    results = sweep.run(tmp_path / "out")
    assert results.table("groups").height == 6
    # The store holds the sizes, but not once for each octet of every run.
    stored = sum(file.stat().st_size for file in (tmp_path / "out").rglob("*") if file.is_file())
    assert stored < 3_000_000, stored


@pytest.mark.skipif(not RECORDINGS.is_dir(), reason="the recordings are missing")
@pytest.mark.parametrize("file", ["big-buck-bunny-1080p", "elephants-dream-360p", "video-chat-540p"])
def test_real_recordings(tmp_path: Path, file: str) -> None:
    recording = RECORDINGS / f"{file}-1500kbps.txt"
    path = tmp_path / "real.toml"
    path.write_text(REPLAY.replace("clip.txt", recording.as_posix()), encoding="utf-8")
    sizes = pl.read_csv(recording, separator=" ", comment_prefix="%", has_header=False).to_series(4)
    video = Video.of(Scenario.load(path), "video")
    assert list(video.frame_bits) == [8 * size for size in sizes]
    assert len(video.frame_bits) >= 6000
