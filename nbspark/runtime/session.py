"""The session of a command: a local Spark started with ``conf/local.conf``, or the one that is already there.

``nbspark COMMAND`` from a shell starts Spark on this machine. Under spark-submit, in a notebook and with
Spark Connect there is a session already, with the settings it was given, and nothing here changes them.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import os
import shlex
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from nbspark.errors import SetupError
from nbspark.runtime.archive import archive_of, make_later, spark_home
from nbspark.runtime.java import ensure_java
from nbspark.runtime.workers import MODULE as WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import FrameType

    from pyspark.sql import SparkSession

FIRST_COMPILER = "-XX:TieredStopAtLevel=1"  # quick to compile; what it makes is slower than the second one's
CONF_DIR = (Path(__file__).parents[1] / "conf").resolve()  # a link in a checkout: messages name the file itself


def local_session(
    *, name: str, conf: Mapping[str, str], short: bool = False, meanwhile: Sequence[str] = ()
) -> SparkSession:
    """Return the session to run a command in.

    Parameters
    ----------
    name : str
        Name of the application, where Spark is started here.
    conf : mapping
        The user's Spark settings. They outrank ``conf/local.conf``; both are there before Java starts,
        or ``spark.driver.memory`` would come too late.
    short : bool
        Whether the command surely reads little, from local files: a Spark that is started here then starts sooner and
        works more slowly.
    meanwhile : sequence of str
        Modules to import while Java starts.

    Raises
    ------
    SetupError
        pyspark or Java is missing, a setting cannot be a Spark setting, Spark does not start with these
        settings, or there is a session already and it is too late for settings.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise SetupError(f"no pyspark to run with ({error}). Run: pip install 'nbspark[spark]'") from error
    require_spark_keys(conf)
    owner = _session_owner(SparkSession)
    if owner is None:
        return _start(SparkSession, name=name, conf=conf, short=short, meanwhile=meanwhile)
    if conf:
        raise SetupError(
            f"--conf {', '.join(conf)}: too late, because {owner}. "
            "Give these settings to what starts Spark: spark-submit --conf KEY=VALUE, or the session's builder."
        )
    return SparkSession.builder.getOrCreate()


def submit_args(
    *,
    name: str,
    conf: Mapping[str, str],
    progress: bool,
    inherited: str = "",
    defaults: Mapping[str, str] | None = None,
) -> str:
    """Return the value of PYSPARK_SUBMIT_ARGS, from which pyspark starts Java; what comes later outranks.

    Parameters
    ----------
    name : str
        Name of the application.
    conf : mapping
        The user's Spark settings for this command.
    progress : bool
        Whether Spark shows its progress bar. It would write it to a file as well, so it is always told.
    inherited : str
        The user's own PYSPARK_SUBMIT_ARGS (``--packages`` and the like), which stay in force.
    defaults : mapping, optional
        Settings that both outrank.

    Examples
    --------
    >>> args = submit_args(name="train", conf={"spark.driver.memory": "8g"}, progress=False, inherited="--verbose")
    >>> shlex.split(args)[2:]  # doctest: +NORMALIZE_WHITESPACE
    ['--load-spark-defaults', '--conf', 'spark.app.name=train', '--conf', 'spark.ui.showConsoleProgress=false',
     '--verbose', '--conf', 'spark.driver.memory=8g', 'pyspark-shell']
    """
    ours = {"spark.app.name": name, "spark.ui.showConsoleProgress": str(progress).lower()} | dict(defaults or {})
    return shlex.join(
        [
            "--properties-file",
            str(CONF_DIR / "local.conf"),
            "--load-spark-defaults",  # the site's own file still counts where local.conf is silent
            *_conf_flags(ours),
            *(argument for argument in shlex.split(inherited) if argument != "pyspark-shell"),
            *_conf_flags(conf),
            "pyspark-shell",
        ]
    )


@contextlib.contextmanager
def _interrupt_later() -> Iterator[None]:
    """Hold Ctrl-C back: pyspark would leave a Java process behind if it stopped while that one starts."""
    if threading.current_thread() is not threading.main_thread():  # Python gives signals to no other
        yield
        return
    held: list[int] = []

    def hold(signal_number: int, _frame: FrameType | None) -> None:
        held.append(signal_number)

    before = signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is hold:  # else pyspark has put its own there, which cancels jobs
            signal.signal(signal.SIGINT, before)
    if held:
        raise KeyboardInterrupt


def _conf_flags(conf: Mapping[str, str]) -> list[str]:
    """Return the settings as arguments of spark-submit."""
    return [argument for key, value in conf.items() for argument in ("--conf", f"{key}={value}")]


def require_spark_keys(conf: Mapping[str, str]) -> None:
    """Raise for keys that Spark would ignore without a word."""
    foreign = [key for key in conf if not key.startswith("spark.")]
    if foreign:
        listed = ", ".join(repr(key) for key in foreign)
        raise SetupError(f"--conf {listed}: the name of a Spark setting starts with 'spark.'. Correct the name.")


def _session_owner(session_class: type[SparkSession]) -> str | None:
    """Return who has started, or will start, the session; None where this process has to."""
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        return "spark-submit has started Spark already"
    if os.environ.get("SPARK_REMOTE"):
        return f"SPARK_REMOTE names a server ({os.environ['SPARK_REMOTE'].partition(';')[0]})"  # no token in a message
    if session_class.getActiveSession() is not None:
        return "this process has a session already"
    return None


def _start(
    session_class: type[SparkSession], *, name: str, conf: Mapping[str, str], short: bool, meanwhile: Sequence[str]
) -> SparkSession:
    """Start Spark on this machine."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    threading.Thread(target=_import_all, args=(meanwhile,), daemon=True).start()
    java = ensure_java()
    # Without this Spark runs its workers with the python3 on PATH, which need not be this one.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # The environment, not a flag: it needs no quoting and leaves spark.driver.extraJavaOptions to the user.
    os.environ.setdefault("LOG4J_CONFIGURATION_FILE", (CONF_DIR / "log4j2.properties").as_uri())
    inherited = os.environ.get("PYSPARK_SUBMIT_ARGS", "")
    is_this_python = os.environ["PYSPARK_PYTHON"] == sys.executable
    defaults = {"spark.python.daemon.module": WORKERS} if short and is_this_python else {}
    arguments = submit_args(name=name, conf=conf, progress=sys.stderr.isatty(), inherited=inherited, defaults=defaults)
    archive = archive_of(java)
    options = [archive.java_options if archive else "", FIRST_COMPILER if short else ""]
    if archive is not None and archive.is_due:
        atexit.register(make_later)
    try:
        with (
            _environment(_launch(" ".join(filter(None, options))) | {"PYSPARK_SUBMIT_ARGS": arguments}),
            _interrupt_later(),
        ):
            return session_class.builder.getOrCreate()
    except (PySparkException, Py4JJavaError) as error:
        reason = error.java_exception.getMessage() if isinstance(error, Py4JJavaError) else str(error)
        asked = f"--conf {', '.join(conf)} and " if conf else ""  # keys only: a value may be a password
        raise SetupError(
            f"Spark does not start with {asked}{CONF_DIR / 'local.conf'}: {reason} "
            "Correct the setting that is named here or in the lines above."
        ) from error


def _launch(options: str) -> dict[str, str]:
    """Return the environment for spark-submit and the Java it starts; what the user has set comes last and outranks."""
    return {
        "SPARK_HOME": str(spark_home() or ""),  # else it starts a Python to ask pyspark
        # It starts a Java to build the command line of the other one: gone before a better compiler would be worth it.
        "SPARK_LAUNCHER_OPTS": f"{FIRST_COMPILER} {os.environ.get('SPARK_LAUNCHER_OPTS', '')}".strip(),
        "SPARK_SUBMIT_OPTS": f"{options} {os.environ.get('SPARK_SUBMIT_OPTS', '')}".strip(),
    }


def _import_all(modules: Sequence[str]) -> None:
    """Import modules; what is wrong with one is said where it is needed."""
    with contextlib.suppress(Exception):
        for module in modules:
            importlib.import_module(module)


@contextlib.contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables for the processes that start meanwhile; a later child process starts afresh."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update({name: value for name, value in values.items() if value})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
