"""Ray: the processes of this machine, or a cluster, and the deployments in it. Ray is imported when it is started."""

from __future__ import annotations

import ctypes
import logging
import math
import os
import secrets
import signal
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from hugginggpt.common.paths import PACKAGE, install_command
from hugginggpt.common.threads import fulfil
from hugginggpt.config.ray import RayServe, ReplicaGroup
from hugginggpt.core.errors import BackendError, ConfigError, brief
from hugginggpt.serving.ray_replica import Replica, ReplicaSettings

if TYPE_CHECKING:
    from ray.serve.handle import DeploymentHandle

log = logging.getLogger(__name__)

PREFIX = "hugginggpt-"
"""The names of the applications on Ray Serve begin with it, and end with the names of the groups."""
DRAIN_SECONDS = 120
"""How long a replica that is replaced may take for its last requests."""
VERSION_SECONDS = 20
"""How long a replica may take to say what version it is of."""
START_SECONDS = 120
"""How long Ray may take to start on this machine; its own 30 seconds are too short where much else is going on."""
QUIET = {"log_level": "WARNING", "enable_access_log": False}
IN_GPU = 100
"""A GPU is divided into so many parts at most."""


class Cluster:
    """A connection to Ray, and the deployment of each group of models in it."""

    def __init__(self, settings: RayServe) -> None:
        self.settings = settings
        self.is_local = settings.address == "local"
        self._left = threading.Event()

    def connect(self) -> None:
        """Starts Ray on this machine, or connects to a cluster. Raises ConfigError where neither works."""
        connected: Future[None] = Future()
        threading.Thread(target=self._stay, args=[connected], name="ray", daemon=True).start()
        connected.result()

    def _stay(self, connected: Future[None]) -> None:
        """Connects and stays: Linux ends Ray's processes when the thread that started them ends."""
        fulfil(connected, self._connect)
        self._left.wait()

    def _connect(self) -> None:
        _set_environment(self.settings)
        try:
            import ray
            from ray import serve
        except ModuleNotFoundError as error:
            package = (error.name or "ray").partition(".")[0]
            needed = f"models_server.engine: ray needs the package {package}: {install_command('ray')}."
            raise ConfigError(needed) from error
        options: dict[str, Any] = {
            "configure_logging": False,
            "logging_level": logging.ERROR,
            "log_to_driver": False,  # what replicas log is in Ray's folder, /tmp/ray/session_latest/logs
        }
        if self.is_local:
            options |= {
                "include_dashboard": self.settings.dashboard,
                "object_store_memory": self.settings.files_mb * 2**20,
            }
        try:
            with _same_signals():
                ray.init(self.settings.address, **options)
            serve.start(proxy_location="Disabled", logging_config=QUIET)
        except Exception as error:
            self.leave()
            raise ConfigError(self._not_connected(error)) from error
        logging.getLogger("ray.serve").setLevel(logging.WARNING)

    def _not_connected(self, error: Exception) -> str:
        where = "Ray cannot be started here" if self.is_local else f"There is no Ray cluster at {self.settings.address}"
        if type(error).__name__ == "AuthenticationError":
            needed = "models_server.ray.token, or RAY_AUTH_TOKEN in the environment"
            return f"The Ray cluster at {self.settings.address} needs its token: {needed}."
        return f"{where} (models_server.ray.address): {brief(error)}."

    def resources(self) -> Mapping[str, float]:
        """What the nodes of the cluster have together: "CPU", "GPU", "memory" (bytes) and others."""
        import ray

        found: dict[str, float] = ray.cluster_resources()
        return found

    def deploy(self, group: ReplicaGroup, settings: ReplicaSettings, gpus: float) -> DeploymentHandle[Replica]:
        """Starts the replicas of a group, unless there are some of the same settings, and waits until each group has
        one. Raises BackendError where they cannot be started.
        """
        from ray import serve

        name = PREFIX + group.name
        if self._has(name, settings.version):
            return serve.get_app_handle(name)
        if not self.settings.deploy:
            raise ConfigError(f"There is no application {name} on Ray Serve, and models_server.ray.deploy is false.")
        try:
            return serve.run(application(group, settings, gpus), name=name, route_prefix=None)
        except Exception as error:
            raise BackendError(f"The replicas of {group.name} cannot be started: {brief(error)}.") from error

    def _has(self, name: str, version: str) -> bool:
        """Whether an application of that name runs, of that version, or of one that somebody else looks after."""
        from ray import serve

        if name not in serve.status().applications:
            return False
        if not self.settings.deploy:
            return True
        with suppress(Exception):  # one that is just being replaced, or broken
            running: str = serve.get_app_handle(name).version.remote().result(timeout_s=VERSION_SECONDS)
            return running == version
        return False

    def leave(self) -> None:
        """Ends Ray where it was started here; a cluster keeps the replicas, for other servers and the next one."""
        import ray
        from ray import serve

        if self.is_local:
            with suppress(Exception):  # it ends anyway
                serve.shutdown()
        ray.shutdown()
        self._left.set()


def application(group: ReplicaGroup, settings: ReplicaSettings, gpus: float) -> Any:
    """The group as an application for Ray Serve."""
    from ray import serve
    from ray.serve.config import AutoscalingConfig

    resources: dict[str, Any] = {"num_cpus": group.cpus, "num_gpus": gpus}
    if settings.memory and not gpus:
        resources["memory"] = settings.memory
    if settings.on_loopback:  # the replicas are to run this very program, which need not be installed
        resources["runtime_env"] = {"env_vars": {"PYTHONPATH": _python_path()}}
    replicas: dict[str, Any] = {"num_replicas": group.replicas}
    if group.most > group.replicas:
        replicas = {
            "autoscaling_config": AutoscalingConfig(
                min_replicas=group.replicas, max_replicas=group.most, target_ongoing_requests=group.requests
            )
        }
    deployment: Any = serve.deployment(
        Replica, name="Replica", ray_actor_options=resources,
        max_ongoing_requests=settings.queue + settings.batch, max_queued_requests=settings.max_open,
        graceful_shutdown_timeout_s=DRAIN_SECONDS, graceful_shutdown_wait_loop_s=0.5, health_check_period_s=2,
        max_constructor_retry_count=2, max_surge_percent=100, rolling_update_percentage=1.0, logging_config=QUIET,
        **replicas,
    )  # fmt: skip
    return deployment.bind(settings)


def gpu_share(group: ReplicaGroup, gpu_memory: float | None, has_gpus: bool) -> float:
    """The GPUs of a replica: the part of one that holds its memory; a whole one where the memory is not known.

    Raises ConfigError for a replica that does not fit on one.
    """
    if not has_gpus:
        return 0
    if not group.memory or not gpu_memory:
        return 1
    if group.memory > gpu_memory:
        raise ConfigError(
            f"models_server.ray.groups: the replicas of {group.name} have {group.memory:g} GB, more than the "
            f"{gpu_memory:g} GB of a GPU (gpu_memory)."
        )
    return math.ceil(IN_GPU * group.memory / gpu_memory) / IN_GPU


@contextmanager
def _same_signals() -> Iterator[None]:
    """What the process does on SIGTERM and Ctrl-C is the same afterwards: Ray's library sets handlers of its own."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    get, put = ctypes.pythonapi.PyOS_getsig, ctypes.pythonapi.PyOS_setsig
    get.restype, put.argtypes = ctypes.c_void_p, [ctypes.c_int, ctypes.c_void_p]
    in_c = {number: get(number) for number in kept}
    try:
        yield
    finally:
        for number, handler in kept.items():
            if threading.current_thread() is threading.main_thread():
                signal.signal(number, handler)
            put(number, in_c[number])


def _set_environment(settings: RayServe) -> None:
    """Ray reads these when it is imported and when it starts its processes: a token for each call, nothing sent to its
    makers, and, for a Ray of our own, addresses of the loopback interface alone.
    """
    os.environ["RAY_AUTH_MODE"] = "token"
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    if settings.address == "local":
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # on these systems Ray is on loopback anyway
        os.environ.setdefault("RAY_raylet_start_wait_time_s", str(START_SECONDS))
    elif settings.token:
        os.environ["RAY_AUTH_TOKEN"] = settings.token


def _python_path() -> str:
    return os.pathsep.join(filter(None, (str(PACKAGE.parent), os.environ.get("PYTHONPATH"))))
