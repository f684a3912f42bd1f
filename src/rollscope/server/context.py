"""What every request finds: the runs, the settings, and the parts that live as long as the server."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rollscope.query.lists.answer_cache import AnswerCache
from rollscope.server.http.cached_answer import CachedAnswer
from rollscope.server.options import ServerOptions

if TYPE_CHECKING:
    from rollscope.query.library import Library
    from rollscope.query.run import Run
    from rollscope.query.samples.cache import SampleCache
    from rollscope.server.live.watcher import Live
    from rollscope.userdata.dashboards import DashboardStore

#: Threads for answers, and apart from them for searches: a search may run for a minute and must not hold up a list.
#: More than cores, since they mostly wait for disks and for the index.
ANSWER_THREADS = 8
SEARCH_THREADS = 4


@dataclass
class Context:
    library: Library
    cache: SampleCache
    options: ServerOptions
    dashboards: DashboardStore
    live: Live
    #: Random, so that no ETag and no version of an earlier start is taken for one of this.
    instance: str
    answers: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(ANSWER_THREADS, thread_name_prefix="answer")
    )
    searches: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(SEARCH_THREADS, thread_name_prefix="search")
    )
    #: Lists that did not change since they were made.
    kept_answers: AnswerCache[CachedAnswer] = field(default_factory=lambda: AnswerCache(lambda kept: kept.size))
    #: Set when the server stops: long work ends early.
    stopping: threading.Event = field(default_factory=threading.Event)


@dataclass
class ApiCall:
    """One request, as a handler sees it."""

    context: Context
    path: dict[str, str]
    body: bytes = b""

    @property
    def run(self) -> Run:
        run = self.context.library.run(self.path["run"])
        self.context.live.follower.asked_about(run.id)
        return run
