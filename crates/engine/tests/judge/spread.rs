//! Parallel work on two threads, with results in order.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// More threads would disturb others on a shared machine.
const THREADS: usize = 2;

/// Applies `work` to each item. Returns the results in the order of `all`; `each` gets every result as soon as it is
/// ready.
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
                    done.lock().expect("a panic ends the scope").push((index, result));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("a panic ended the scope");
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}
