//! Work on two threads, in order.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// More than these are for whoever shares the machine.
const THREADS: usize = 2;

/// What `work` makes of each, in the order of `all`; whatever is made is shown to `each` as soon as it is there.
pub(crate) fn map<T: Sync, R: Send>(all: &[T], work: impl Fn(&T) -> R + Sync, each: impl Fn(&R) + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some((index, item)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    all.get(index).map(|item| (index, item))
                } {
                    let result = work(item);
                    each(&result);
                    done.lock().expect("whoever panicked ends the scope").push((index, result));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("whoever panicked ended the scope");
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}
