#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds up JUnit's reports of one or more places: the host, and the kernels of the lab.

    build/reports.py [--everywhere] PLACE=DIRECTORY...

The first line of the output is `PASSED FAILED SKIPPED`; each further line names a test that failed,
with its place and message, or one that was skipped in every place. With --everywhere the latter
counts as failed: what no place can run proves nothing. A test that failed and then passed when it was
run once more counts as passed, and is named with what it had failed with.

A test that one place skips and another runs is not counted as skipped. Tests are told apart by their
outermost class, because those of a conformance kit are declared once and inherited.
"""
import glob
import os
import re
import sys
import xml.etree.ElementTree as tree

PATTERNS = ("TEST-*.xml", "*/target/surefire-reports/TEST-*.xml", "*/*/target/surefire-reports/TEST-*.xml")


def tests(report):
    """The tests of a report: (outermost class, class, name), outcome, message."""
    suite = tree.parse(report).getroot()
    found = False
    for case in suite.iter("testcase"):
        found = True
        outcome, message = "passed", ""
        for kind in ("failure", "error", "skipped"):
            part = case.find(kind)
            if part is not None:
                outcome = "skipped" if kind == "skipped" else "failed"
                message = (part.get("message") or part.text or "no message").strip()
        yield key(suite, case), outcome, message
        for kind in ("flakyFailure", "flakyError"):
            for part in case.findall(kind):
                yield key(suite, case), "unsteady", (part.get("message") or part.text or "no message").strip()
    # Surefire leaves a class out altogether when its preparation was aborted.
    if not found and os.path.basename(report).count(".") > 1:
        yield (suite.get("name"), suite.get("name"), ""), "skipped", "nothing of it ran"


def key(suite, case):
    """The same for one test whichever of Surefire and JUnit's launcher wrote the report."""
    name = case.get("name") or ""
    index = re.search(r"\[\d+\]", name)
    method = re.split(r"[({\[ ]", name)[0] + (index.group() if index else "")
    output = "".join(part.text or "" for part in case.iter("system-out"))
    outer = re.search(r"unique-id: \S*?\[class:([^\]]+)\]", output)
    return (outer.group(1) if outer else suite.get("name"), case.get("classname"), method)


def runs_somewhere(test, ran):
    outer, inner, method = test
    if method:
        return test in ran
    # A whole class was skipped.
    return any(o == outer and (i == inner or inner == outer) for o, i, _ in ran)


def said(test):
    outer, inner, method = test
    nested = inner.split("$")[1:] if "$" in inner else []
    return ".".join([outer, *nested, *([method] if method else [])])


def main(arguments):
    everywhere = "--everywhere" in arguments
    passed, failed, ran, lines, skipped = 0, 0, set(), [], {}
    for argument in arguments:
        if argument == "--everywhere":
            continue
        place, directory = argument.split("=", 1)
        reports = [f for p in PATTERNS for f in glob.glob(os.path.join(directory, p))]
        for report in sorted(reports):
            for test, outcome, message in tests(report):
                if outcome == "skipped":
                    skipped.setdefault(test, []).append((place, message.splitlines()[0]))
                    continue
                if outcome == "unsteady":
                    lines.append("passed only when run once more on %s: %s" % (place, said(test)))
                    lines += ["  " + line for line in message.splitlines()[:3]]
                    continue
                ran.add(test)
                if outcome == "passed":
                    passed += 1
                else:
                    failed += 1
                    lines.append("failed on %s: %s" % (place, said(test)))
                    lines += ["  " + line for line in message.splitlines()[:3]]
    nowhere = sorted(test for test in skipped if not runs_somewhere(test, ran))
    for test in nowhere:
        lines.append("%s: %s" % ("ran nowhere" if everywhere else "skipped", said(test)))
        lines += ["  %s: %s" % (place, why) for place, why in skipped[test]]
    print(passed, failed + (len(nowhere) if everywhere else 0), 0 if everywhere else len(nowhere))
    print("\n".join(lines))


main(sys.argv[1:])
