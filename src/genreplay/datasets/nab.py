"""The Numenta Anomaly Benchmark, version 1.1: 58 time series with labelled windows.

A series has a time and a value in each row. Around each labelled anomaly lies a window of rows; a detector should raise
an alarm in it, the earlier the better (``genreplay.experiments.nab`` has the score). Five series have no anomaly by
construction, and one more has no window.

Nothing is ever downloaded. The files are looked for in ``nab/`` below the folder that GENREPLAY_DATA names, then below
the user's cache, and are recognised by their hashes.

A. Lavin, S. Ahmad: Evaluating Real-time Anomaly Detection Algorithms - the Numenta Anomaly Benchmark, 2015.
"""

from __future__ import annotations

import json
import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.datasets import files
from genreplay.datasets.base import DatasetError
from genreplay.datasets.files import DataFile

SOURCE = "https://github.com/numenta/NAB, folders data and labels"
PROBATION_SHARE = 0.15
PROBATION_ROWS = 5_000
"""rows of a series beyond which the probationary period does not grow"""

WINDOWS = DataFile("nab/combined_windows.json", "git:2f1be355750a2fefa8d781215d3275fda3d83d23")
HASHES = {
    "artificialNoAnomaly/art_daily_no_noise.csv": "a1281b2239cb373b45abbeb5f2d660100e1538ee",
    "artificialNoAnomaly/art_daily_perfect_square_wave.csv": "f04117a115365e12023a205926636318e686e8bc",
    "artificialNoAnomaly/art_daily_small_noise.csv": "ebbed8766352ba0f78bb03f2bdc135966452f6b8",
    "artificialNoAnomaly/art_flatline.csv": "c6fca7b3d9e1e30281b88fc9ece40804be413fe5",
    "artificialNoAnomaly/art_noisy.csv": "ad4f287acab6c9beee252e2f60f8f8b6517c7c5e",
    "artificialWithAnomaly/art_daily_flatmiddle.csv": "97f34aec5d61d86ce0c45851f2b8ff4a902d8c32",
    "artificialWithAnomaly/art_daily_jumpsdown.csv": "82303f480acfd814fd1a52e9e7d51bcd363198b7",
    "artificialWithAnomaly/art_daily_jumpsup.csv": "02a8d2a35f18c6a3486ec7e48ebce60443a8fec6",
    "artificialWithAnomaly/art_daily_nojump.csv": "4945f37d73449ee22e12f73089c65d355aed8796",
    "artificialWithAnomaly/art_increase_spike_density.csv": "41c10959af3943bcd7e761e6c80c0a9a52b1b58a",
    "artificialWithAnomaly/art_load_balancer_spikes.csv": "7898457b6cbdee7f7afcf0a5e71431f7bbcb397a",
    "realAWSCloudwatch/ec2_cpu_utilization_24ae8d.csv": "9185706041f377320d8fa45cbfb8097ac64e322b",
    "realAWSCloudwatch/ec2_cpu_utilization_53ea38.csv": "06695ff205cd31ffb851150a1c4b583019f53bf1",
    "realAWSCloudwatch/ec2_cpu_utilization_5f5533.csv": "071ec4bf080a9924d6eed6f212131c232db8c79f",
    "realAWSCloudwatch/ec2_cpu_utilization_77c1ca.csv": "f4b3da1f21dbf8a93d97dd122cbf7a2551eff74d",
    "realAWSCloudwatch/ec2_cpu_utilization_825cc2.csv": "db8b7dc9173f4d8c0c230bf2f78e85f586886e71",
    "realAWSCloudwatch/ec2_cpu_utilization_ac20cd.csv": "7d3486c1d8e298eef224efe99a700180a1bf309c",
    "realAWSCloudwatch/ec2_cpu_utilization_c6585a.csv": "fadc9eac5cd59da043227c0a5b511bf98f44d671",
    "realAWSCloudwatch/ec2_cpu_utilization_fe7f93.csv": "ccb3fcd10d5600ac4f141c7bab77b6352dfe2bb0",
    "realAWSCloudwatch/ec2_disk_write_bytes_1ef3de.csv": "2bc16e5d8808c4037fdf7915c2725ec4f3041036",
    "realAWSCloudwatch/ec2_disk_write_bytes_c0d644.csv": "dcc3917a5c5e43a8aea34bc2ab15a3d139c8fe7b",
    "realAWSCloudwatch/ec2_network_in_257a54.csv": "0e87ae1ab944a405f74ae35a61dd1d1493046d76",
    "realAWSCloudwatch/ec2_network_in_5abac7.csv": "660d980ee4ce9a4d050bc0a7037c12f07a3e9407",
    "realAWSCloudwatch/elb_request_count_8c0756.csv": "c2c83f9f470653d5db71f8aa6a038a98e075c7ae",
    "realAWSCloudwatch/grok_asg_anomaly.csv": "1cb094eb2d5bea1d4f9c2ba2d5f7ba718e0cb7b9",
    "realAWSCloudwatch/iio_us-east-1_i-a2eb1cd9_NetworkIn.csv": "c8f536e605f88e9681cc21745ba28b94b82a0e93",
    "realAWSCloudwatch/rds_cpu_utilization_cc0c53.csv": "0150dd6dc2e5f26b58088ad474f0847db6e03f87",
    "realAWSCloudwatch/rds_cpu_utilization_e47b3b.csv": "8b77293179b0a96428375226bc09587bb4ecd1b5",
    "realAdExchange/exchange-2_cpc_results.csv": "44f25b51ca5651cc54c7f2dc42a4acafdf464629",
    "realAdExchange/exchange-2_cpm_results.csv": "0c524fad6eaaf9e82c4fbdc295403368eff41f05",
    "realAdExchange/exchange-3_cpc_results.csv": "9de02e6f30b3a5816e5f657a7039682f50784e96",
    "realAdExchange/exchange-3_cpm_results.csv": "c0c215f0a4c10f23ef0f59093353d3ca3f4c2b69",
    "realAdExchange/exchange-4_cpc_results.csv": "fd57923aead0d14fc772911d351cdee425a9f735",
    "realAdExchange/exchange-4_cpm_results.csv": "d4779f0765d9ee0537a95bbe56f316d2cd353648",
    "realKnownCause/ambient_temperature_system_failure.csv": "d9d6bb2d20221e5161e1655dbf120e67f949051a",
    "realKnownCause/cpu_utilization_asg_misconfiguration.csv": "356b8e2b87f7c5a96c225ab4acb927c948e471c2",
    "realKnownCause/ec2_request_latency_system_failure.csv": "b16b8cb19d5aa791bf82af7d2009e80229010286",
    "realKnownCause/machine_temperature_system_failure.csv": "7ac97fb6ef587efaf8770bfe7346e077da58ceb7",
    "realKnownCause/nyc_taxi.csv": "f44fb7f69e088df2a836b840aebcbde89a883ffe",
    "realKnownCause/rogue_agent_key_hold.csv": "4125ffd46b23d632fd6ff086ff680ac3adc87331",
    "realKnownCause/rogue_agent_key_updown.csv": "ad4df9007b5087c3a4f3d389094017e739c2a9b2",
    "realTraffic/TravelTime_387.csv": "4dce2024b3549f279af18026065c1ece04987890",
    "realTraffic/TravelTime_451.csv": "bd26288979e11844c928162765cf4f333ff352e1",
    "realTraffic/occupancy_6005.csv": "5f9fa59b7cb2830f206bbc2f4daa27e8e72fe710",
    "realTraffic/occupancy_t4013.csv": "0f2387f7f79a9966254f8e89de5c6824ebcec08c",
    "realTraffic/speed_6005.csv": "c16e9787e760c972400cbfeb0b9d0109a4600f57",
    "realTraffic/speed_7578.csv": "8acfcfc06c24c1d67297b3c965ede5e75770365b",
    "realTraffic/speed_t4013.csv": "07b3d64d9ee9256807b3a25252b9c59368cb1f16",
    "realTweets/Twitter_volume_AAPL.csv": "85f20538a417ca5ed13635e54190dccc2879caf8",
    "realTweets/Twitter_volume_AMZN.csv": "8f9d8a5d54d4f52571a403970928b66eeda92a43",
    "realTweets/Twitter_volume_CRM.csv": "767da62a44305cc24aac3795be4eea47b8843bbd",
    "realTweets/Twitter_volume_CVS.csv": "b7281993b5686bfac5960a8681b684ec74739064",
    "realTweets/Twitter_volume_FB.csv": "2fd70862573dda276d507c30a55f214c4c807e1f",
    "realTweets/Twitter_volume_GOOG.csv": "0f5d83663516b15f5c0166512292ef8ce3273c50",
    "realTweets/Twitter_volume_IBM.csv": "edd90fe5d4c2808dda994896f851b70f4e8df75f",
    "realTweets/Twitter_volume_KO.csv": "735dec28938fe08f2b85c4f92be119f005c63fce",
    "realTweets/Twitter_volume_PFE.csv": "42a31df96cba799bdfd45d6ca065e6a25d070290",
    "realTweets/Twitter_volume_UPS.csv": "afc9a358ececd4189286fd70b391983e840af82f",
}
"""of each series, the hash that git gives its file"""


class Series(NamedTuple):
    """A time series, and the windows in which a detector should raise an alarm."""

    name: str
    """such as "realTweets/Twitter_volume_AAPL.csv" """
    category: str
    """the folder, such as "realTweets" """
    times: npt.NDArray[np.datetime64]
    """in seconds; where clocks were changed, times repeat or go back"""
    values: npt.NDArray[np.float64]
    is_in_window: npt.NDArray[np.bool_]
    windows: list[tuple[int, int]]
    """the first and the last row of each, in order"""
    probation: int
    """rows at the beginning in which alarms do not count"""


def names() -> list[str]:
    """Return the names that ``load`` knows, whether or not their files are here.

    >>> len(names()), names()[-1]
    (58, 'realTweets/Twitter_volume_UPS.csv')
    """
    return list(HASHES)


def load(name: str) -> Series:
    """Find a series and return it; if it is missing, the error says where to get it."""
    if name not in HASHES:
        raise DatasetError(f"There is no series {name!r} in NAB. It has {len(HASHES)}, such as {names()[-1]!r}.")
    file = DataFile(f"nab/{name}", f"git:{HASHES[name]}")
    folder = files.folder_with((file, WINDOWS))
    if folder is None:
        raise DatasetError(
            f"The series {name} is not here: put {file.path} and {WINDOWS.path} into the folder that {files.VARIABLE} "
            f"names. They are files of the Numenta Anomaly Benchmark ({SOURCE})."
        )
    content, labels = (files.read(folder.path / wanted.path, wanted) for wanted in (file, WINDOWS))
    cells = [line.split(",") for line in content.decode().splitlines()[1:]]
    times = np.array([time for time, _ in cells], dtype="datetime64[s]")
    values = np.array([value for _, value in cells], dtype=np.float64)
    return make(name, times, values, windows_in(times, json.loads(labels)[name]))


def corpus() -> list[Series]:
    """Return all series."""
    return [load(name) for name in names()]


def make(
    name: str,
    times: npt.NDArray[np.datetime64],
    values: npt.NDArray[np.float64],
    windows: list[tuple[int, int]],
    probation: int | None = None,
) -> Series:
    """Return a series with the flags that follow from its windows, and NAB's probationary period unless one is given.

    >>> times = np.datetime64("2014-04-01T00:00:00") + np.arange(5)
    >>> make("made up/ramp.csv", times, np.arange(5.0), [(2, 3)]).is_in_window.tolist()
    [False, False, True, True, False]
    """
    is_in_window = np.zeros(len(times), dtype=np.bool_)
    for first, last in windows:
        is_in_window[first : last + 1] = True
    n_skipped = probation_of(len(times)) if probation is None else probation
    return Series(name, name.split("/")[0], times, values, is_in_window, windows, n_skipped)


def probation_of(n_rows: int) -> int:
    """Return how many rows of a series are probation: 15 % of them, and at most 15 % of 5,000.

    >>> probation_of(4_032), probation_of(22_695)
    (604, 750)
    """
    return math.floor(PROBATION_SHARE * min(n_rows, PROBATION_ROWS))


def windows_in(times: npt.NDArray[np.datetime64], limits: list[list[str]]) -> list[tuple[int, int]]:
    """Return the first and the last row of each window, given their times.

    A time that occurs twice means the first row that has it.

    >>> times = np.datetime64("2014-04-01T00:00:00") + np.arange(5)
    >>> windows_in(times, [["2014-04-01 00:00:01.000000", "2014-04-01 00:00:03.000000"]])
    [(1, 3)]
    """
    rows = [[int(np.flatnonzero(times == np.datetime64(limit, "s"))[0]) for limit in pair] for pair in limits]
    return [(first, last) for first, last in rows]
