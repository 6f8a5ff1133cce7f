"""Carrying out runs: workers, pools, the order of tasks, the store of finished runs.

1. **Points.** A sweep, a comparison, a league or a study is a sequence of points; a search and a capacity ask for
   theirs one after the other. A point is a set of values and the scenario with these values, which is built when it
   is needed.
2. **Plan** (``plan.py``). The points with their seeds and replications give the wanted runs, each with its key in the
   store. Runs that are in the store are left out. The others go out replication by replication, so that an experiment
   that ends early has results for every point. The points of a sweep are planned chunk by chunk while runs are sent.
3. **Spread** (``spread.py``). Tasks go through a pool in batches of about a second of work, two batches for each
   worker. A run that fails has a result like other runs. A batch lost with its worker is sent again. A batch lost
   twice runs alone, and is halved until the failing run is found.
4. **Store** (``store.py``). Each batch that comes back is one segment. Only the process that carries out the
   experiment writes. A requested precision is judged only from stored runs, so a resumed sweep adds the same
   replications as an uninterrupted one.
5. **Results** join the plan to the store. The tables are sorted by point, seed and replication. They are the same for
   every executor and any number of interruptions.

Workers are spawned, never forked (polars has threads). They import only the engine and the standard library, send their
tables as Arrow, and end when their parent process ends. The first Ctrl-C or SIGTERM is a request, checked between two
slices of a run. All finished runs are stored.
"""
