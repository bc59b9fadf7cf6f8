"""Judging a run: a real endpoint on loopback says what it thinks of real answers, and the run keeps it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from endpoint import GOOD, Server, serving
from typer.testing import CliRunner, Result

from memgym.cli import app
from memgym.eval.bench import run_bench
from memgym.eval.config import AgentConfig, JudgeConfig, RunConfig
from memgym.eval.folder import RunFolder
from memgym.eval.judging.asking import judge_run
from memgym.eval.judging.verdicts import VERDICTS, VerdictFile, with_verdicts
from memgym.eval.report.comparing import differences
from memgym.eval.report.report_page import report
from memgym.eval.report.runs import read_run, read_runs
from memgym.model import ModelError

RETRIED = 3


def saying(text: str) -> tuple[int, Any]:
    return 200, {**GOOD, "choices": [{**GOOD["choices"][0], "message": {"role": "assistant", "content": text}}]}


def verdict(correct: bool) -> tuple[int, Any]:
    return saying(json.dumps({"reason": "as I see it", "verdict": "correct" if correct else "wrong"}))


def asked(body: dict[str, Any]) -> str:
    return str(body["messages"][1]["content"])


def known(body: dict[str, Any], number: int) -> tuple[int, Any]:
    """A judge that holds every answer for correct but one that says that it is unknown."""
    return verdict(not asked(body).endswith("unknown"))


def judge(run: Path, server: Server, *more: str) -> Result:
    arguments = ["judge", str(run), "--model", "openai:small", "--endpoint", server.url, *more]
    return CliRunner().invoke(app, arguments)


def config(server: Server, **options: Any) -> JudgeConfig:
    return JudgeConfig(model="openai:small", options={"base_url": server.url, "retries": 0, **options}, concurrency=4)


def records(run: Path) -> list[Any]:
    return list(RunFolder.resume(run).records().values())


def metrics(run: Path) -> Any:
    return json.loads((run / "metrics.json").read_text())


def test_the_score_the_counts_and_the_agreement_are_in_table_and_metrics(run: Path, server: Server) -> None:
    server.respond = known
    result = judge(run, server)
    assert result.exit_code == 0, result.output
    assert "Judged by openai:small, prompt answers-1" in result.output
    first = metrics(run)["judgements"][0]
    assert (first["row"], first["questions"], first["judged"]) == ("bm25-rag", 12, 12)
    assert first["score"]["n"] == 3
    said = [one for record in records(run) if record.episode.agent == "bm25-rag" for one in record.outcome.predictions]
    assert first["score"]["mean"] == pytest.approx(sum(one != "unknown" for one in said) / 12)
    assert 0 <= first["agreement"] <= 1


def test_every_distinct_answer_is_asked_about_once_and_records_stay_as_they_are(run: Path, server: Server) -> None:
    before = (run / "records.jsonl").read_bytes()
    server.respond = known
    judge(run, server)
    cases = {(q, a, p) for one in records(run)
             for q, a, p in zip(one.outcome.questions, one.outcome.references, one.outcome.predictions, strict=True)}  # fmt: skip
    assert len(server.bodies) == len({asked(body) for body in server.bodies}) == len(cases)
    assert {body["temperature"] for body in server.bodies} == {0.0}
    assert (run / "records.jsonl").read_bytes() == before


def test_a_judged_run_is_rescored_to_the_byte_without_a_model(run: Path, server: Server) -> None:
    server.respond = known
    judge(run, server)
    asked_before = len(server.bodies)
    result = CliRunner().invoke(app, ["rescore", str(run)])
    assert result.exit_code == 0, result.output
    assert (run / "rescored.json").read_bytes() == (run / "metrics.json").read_bytes()
    assert len(server.bodies) == asked_before


def test_prompt_model_and_temperature_are_pinned_in_the_setting(run: Path, server: Server) -> None:
    server.respond = known
    judge(run, server)
    [setting] = read_run(run).settings
    assert setting["judge"]["model"] == "openai:small"
    assert setting["judge"]["temperature"] == 0.0
    assert len(setting["judge"]["digest"]) == 16


def test_verdicts_do_not_depend_on_who_answers_first(run: Path, server: Server, tmp_path: Path) -> None:
    server.respond = known
    judge(run, server, "--concurrency", "1")
    one_by_one = (run / VERDICTS).read_bytes()
    judge(run, server, "--anew", "--concurrency", "16")
    assert (run / VERDICTS).read_bytes() == one_by_one


def test_a_second_judging_asks_nobody(run: Path, server: Server) -> None:
    server.respond = known
    judge(run, server)
    count, kept = len(server.bodies), (run / VERDICTS).read_bytes()
    judge(run, server)
    assert (len(server.bodies), (run / VERDICTS).read_bytes()) == (count, kept)


def test_what_is_no_verdict_is_asked_again_then_counted_and_never_taken_for_wrong(run: Path, server: Server) -> None:
    def muttering(body: dict[str, Any], number: int) -> tuple[int, Any]:
        return saying("Hard to say.") if asked(body).endswith("unknown") else verdict(True)

    server.respond = muttering
    result = judge(run, server)
    assert result.exit_code == 1
    bad = [one for one in VerdictFile.read(run).verdicts.values() if one.correct is None]
    assert {(one.usage.retries, one.usage.failures, one.usage.calls) for one in bad} == {(2, 1, RETRIED)}
    for one in metrics(run)["judgements"]:
        assert one["judged"] < one["questions"]
        assert one["score"]["mean"] == 1.0


def test_failed_verdicts_are_asked_for_again(run: Path, server: Server) -> None:
    server.respond = lambda body, number: saying("Hard to say.")
    judge(run, server)
    server.respond = known
    assert judge(run, server).exit_code == 0
    assert all(one.correct is not None for one in VerdictFile.read(run).verdicts.values())


def test_a_reply_in_another_form_is_understood_at_the_second_try(run: Path, server: Server) -> None:
    def second(body: dict[str, Any], number: int) -> tuple[int, Any]:
        return verdict(True) if len(body["messages"]) > 2 else saying("Let me think.")

    server.respond = second
    assert judge(run, server).exit_code == 0
    assert {one.usage.retries for one in VerdictFile.read(run).verdicts.values()} == {1}


def test_an_interrupted_judging_keeps_what_was_judged_and_goes_on(run: Path, server: Server) -> None:
    server.respond = known

    def interrupt(total: int, done: int) -> None:
        if done == RETRIED:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge_run(run, records(run), config(server), watch=interrupt)
    kept = set(VerdictFile.read(run).verdicts)
    assert len(kept) >= RETRIED
    with serving() as later:  # what was under way when it was interrupted may still reach the first one
        later.respond = known
        file = judge_run(run, records(run), config(later))
    assert set(file.verdicts) > kept
    assert len(later.bodies) == len(set(file.verdicts) - kept)


def test_half_a_last_line_is_dropped_and_a_broken_line_is_named(run: Path, server: Server) -> None:
    server.respond = known
    judge(run, server)
    whole = (run / VERDICTS).read_text()
    lines = whole.splitlines(keepends=True)
    (run / VERDICTS).write_text("".join(lines[:3]) + lines[3][:20])
    assert len(VerdictFile.read(run).verdicts) == 2
    judge(run, server)
    assert (run / VERDICTS).read_text() == whole
    (run / VERDICTS).write_text("".join([*lines[:2], "{}\n", *lines[3:]]))
    with pytest.raises(ValueError, match="line 3 is no verdict"):
        VerdictFile.read(run)


def test_another_judge_is_refused_until_its_verdicts_are_dropped(run: Path, server: Server) -> None:
    server.respond = known
    judge(run, server)
    refused = CliRunner().invoke(app, ["judge", str(run), "--model", "rules"])
    assert refused.exit_code == 2
    assert "another judge" in refused.output
    assert CliRunner().invoke(app, ["judge", str(run), "--model", "rules", "--anew"]).exit_code == 0
    assert {one["judge"]["model"] for one in metrics(run)["judgements"]} == {"rules"}


def test_an_endpoint_that_is_down_is_one_error_and_not_a_run_of_wrong_answers(run: Path, server: Server) -> None:
    server.respond = lambda body, number: (401, {"error": {"message": "who are you"}})
    with pytest.raises(ModelError, match="small"):
        judge_run(run, records(run), config(server))
    assert all(one.correct is None for one in VerdictFile.read(run).verdicts.values())


def test_one_refused_question_does_not_end_the_judging(run: Path, server: Server) -> None:
    victim = records(run)[0].outcome.questions[0]

    def picky(body: dict[str, Any], number: int) -> tuple[int, Any]:
        return (400, {"error": {"message": "content filter"}}) if victim in asked(body) else known(body, number)

    server.respond = picky
    file = judge_run(run, records(run), config(server))
    failed = [one for one in file.verdicts.values() if one.correct is None]
    assert 1 <= len(failed) < len(file.verdicts)
    assert "content filter" in failed[0].reason


def test_verdicts_are_asked_for_at_once_and_at_most_as_many_as_allowed(run: Path, server: Server) -> None:
    lock, at_once, most = threading.Lock(), 0, 0
    together = threading.Barrier(4)

    def counting(body: dict[str, Any], number: int) -> tuple[int, Any]:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        if number <= 4:
            together.wait(timeout=60)
        with lock:
            at_once -= 1
        return verdict(True)

    server.respond = counting
    judge_run(run, records(run), config(server))
    assert most == 4


def test_what_was_not_answered_is_wrong_without_a_question_to_the_judge(run: Path, server: Server) -> None:
    lines = [json.loads(line) for line in (run / "records.jsonl").read_text().splitlines()]
    lines[0]["outcome"]["predictions"] = [None, " ", *lines[0]["outcome"]["predictions"][2:]]
    (run / "records.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    server.respond = lambda body, number: verdict(True)
    judge_run(run, records(run), config(server))
    first = with_verdicts(records(run), run)[0].outcome
    assert first.judged == (0.0, 0.0, 1.0, 1.0)
    assert first.metrics["judge"] == 0.5


def test_records_without_questions_say_why_they_cannot_be_judged(run: Path, server: Server) -> None:
    lines = [json.loads(line) for line in (run / "records.jsonl").read_text().splitlines()]
    for line in lines:
        del line["outcome"]["questions"]
    (run / "records.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = judge(run, server)
    assert (result.exit_code, "texts of their questions" in result.output) == (2, True)
    assert not (run / VERDICTS).exists()


def test_the_report_shows_the_judge_and_runs_of_two_judges_are_not_compared(
    server: Server, run: Path, copied: Callable[[str], Path]
) -> None:
    server.respond = known
    other = copied("other")
    judge(run, server)
    assert CliRunner().invoke(app, ["judge", str(other), "--model", "rules"]).exit_code == 0
    runs = read_runs([run, other])
    assert [one.what for one in differences(runs) if one.forbids] == ["judge"]
    page, groups = report(runs)
    assert len(groups) == 2
    assert page.count("What the judge says") == 2
    assert "openai:small" in page


def test_a_run_is_judged_after_it_was_played_and_again_after_it_was_resumed(tmp_path: Path) -> None:
    said = RunConfig(
        env="MemGym/Synthetic-50doc", env_options={"questions": 2}, agents=[AgentConfig(agent="bm25-rag")], episodes=2,
        bounds=False, judge=JudgeConfig(model="rules"),
    )  # fmt: skip
    [row] = run_bench(said, out=tmp_path / "run")
    assert row.metrics["judge"] == row.metrics["em"]
    kept, scores = (tmp_path / "run" / VERDICTS).read_bytes(), metrics(tmp_path / "run")
    (tmp_path / "run" / VERDICTS).unlink()
    run_bench(None, resume=tmp_path / "run")
    assert ((tmp_path / "run" / VERDICTS).read_bytes(), metrics(tmp_path / "run")) == (kept, scores)


def test_bench_takes_a_judge_by_name_and_says_that_rules_is_none_of_language(tmp_path: Path) -> None:
    arguments = ["bench", "--env", "MemGym/Synthetic-50doc", "--agent", "bm25-rag", "--no-bounds", "--episodes", "1"]
    result = CliRunner().invoke(app, [*arguments, "--judge", "rules", "--out", str(tmp_path / "run")])
    assert result.exit_code == 0, result.output
    assert "no judge of language" in result.output
    assert RunConfig.load(tmp_path / "run" / "config.yaml").judge == JudgeConfig(model="rules")


def test_a_judge_that_cannot_be_reached_costs_no_score_of_the_run(tmp_path: Path, server: Server) -> None:
    server.respond = lambda body, number: (401, {"error": {"message": "who are you"}})
    said = RunConfig(
        env="MemGym/Synthetic-50doc", env_options={"questions": 8}, agents=[AgentConfig(agent="bm25-rag")], episodes=2,
        bounds=False, judge=config(server),
    )  # fmt: skip
    with pytest.raises(ModelError):
        run_bench(said, out=tmp_path / "run")
    assert metrics(tmp_path / "run")["rows"][0]["n"] == 2
