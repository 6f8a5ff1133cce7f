//! Result tables as Arrow record batches, which data frames take over without a copy of their own.
//!
//! A table holds one batch. It is handed over by the Arrow C stream protocol (`__arrow_c_stream__`), and travels between
//! processes as an Arrow IPC stream.

use std::iter::{once, repeat_n};
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, StringArray, UInt64Array};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, Field, FieldRef, Schema};
use arrow_select::concat::concat_batches;
use penstock_engine::report::{
    DistributionRow, FlowRow, GroupRow, LevelRow, LossRow, PortRow, QueueRow, Report, SeriesRow,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};

/// One table of a run's results. `polars.DataFrame(table)` takes it, and so does all that speaks Arrow.
#[pyclass(frozen, module = "penstock._engine")]
pub(crate) struct Table {
    batch: RecordBatch,
}

impl Table {
    pub(crate) fn new(batch: RecordBatch) -> Table {
        Table { batch }
    }
}

#[pymethods]
impl Table {
    /// Reads what pickling wrote: an Arrow IPC stream of one batch.
    #[staticmethod]
    fn from_ipc(stream: &[u8]) -> PyResult<Table> {
        let mut reader = StreamReader::try_new(stream, None).map_err(unreadable)?;
        let schema = reader.schema();
        let batch = reader.next().unwrap_or_else(|| Ok(RecordBatch::new_empty(schema))).map_err(unreadable)?;
        Ok(Table { batch })
    }

    /// Tables of the same columns, one under the other, with a first column that holds the label of each.
    #[staticmethod]
    fn stack(column: &str, labels: Vec<String>, tables: Vec<PyRef<'_, Table>>) -> PyResult<Table> {
        let Some(first) = tables.first() else {
            return Err(PyValueError::new_err("there are no tables to stack"));
        };
        if labels.len() != tables.len() {
            return Err(PyValueError::new_err(format!("{} labels for {} tables", labels.len(), tables.len())));
        }
        let whole =
            concat_batches(&first.batch.schema(), tables.iter().map(|table| &table.batch)).map_err(unreadable)?;
        let rows = labels.iter().zip(&tables).flat_map(|(label, table)| repeat_n(label, table.batch.num_rows()));
        let label: ArrayRef = Arc::new(StringArray::from_iter_values(rows));
        let field = Arc::new(Field::new(column, label.data_type().clone(), false));
        let fields: Vec<FieldRef> = once(field).chain(whole.schema().fields().iter().cloned()).collect();
        let columns = once(label).chain(whole.columns().iter().cloned()).collect();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map_err(unreadable)?;
        Ok(Table { batch })
    }

    /// The table as an Arrow IPC stream of one batch.
    fn to_ipc<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut stream = Vec::new();
        let mut writer = StreamWriter::try_new(&mut stream, &self.batch.schema()).map_err(unreadable)?;
        writer.write(&self.batch).and_then(|()| writer.finish()).map_err(unreadable)?;
        drop(writer);
        Ok(PyBytes::new(py, &stream))
    }

    /// Names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __repr__(&self) -> String {
        format!("<Table {} x {}>", self.batch.num_rows(), self.batch.num_columns())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let reader = py.get_type::<Table>().getattr("from_ipc")?;
        Ok((reader, (self.to_ipc(py)?,)))
    }

    /// The Arrow C stream of the table; a requested schema is not heeded, as the protocol allows.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batches = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), c"arrow_array_stream")
    }
}

fn unreadable(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// All tables of a report, by name.
pub(crate) fn batches(report: &Report) -> PyResult<[(&'static str, RecordBatch); 8]> {
    let tables = [
        ("flows", flows(&report.flows)),
        ("groups", groups(&report.groups)),
        ("ports", ports(&report.ports)),
        ("queues", queues(&report.queues)),
        ("losses", losses(&report.losses)),
        ("levels", levels(&report.levels)),
        ("series", series(&report.series)),
        ("distributions", distributions(&report.distributions)),
    ];
    let mut built = Vec::with_capacity(tables.len());
    for (name, batch) in tables {
        built.push((name, batch.map_err(unreadable)?));
    }
    built.try_into().map_err(|_| PyValueError::new_err("a table is missing"))
}

/// A type of field that makes a column.
trait Cell: Sized {
    const NULLABLE: bool;
    fn column<'a>(cells: impl Iterator<Item = &'a Self>) -> ArrayRef
    where
        Self: 'a;
}

/// Lists the types of field, and the array that holds each.
macro_rules! cells {
    ($($kind:ty, $nullable:literal, $array:ty, $cell:ident => $value:expr;)*) => {$(
        impl Cell for $kind {
            const NULLABLE: bool = $nullable;
            fn column<'a>(cells: impl Iterator<Item = &'a Self>) -> ArrayRef {
                Arc::new(cells.map(|$cell| $value).collect::<$array>())
            }
        }
    )*};
}

cells! {
    String, false, StringArray, cell => Some(cell.as_str());
    u64, false, UInt64Array, cell => Some(*cell);
    f64, false, Float64Array, cell => Some(*cell);
    Option<u64>, true, UInt64Array, cell => *cell;
    Option<f64>, true, Float64Array, cell => *cell;
}

/// Makes a table of rows: one column a field, called as the field. A field that is not listed does not compile.
macro_rules! table {
    ($name:ident: $row:ident { $($field:ident),* $(,)? }) => {
        fn $name(rows: &[$row]) -> Result<RecordBatch, ArrowError> {
            if let Some($row { $($field: _),* }) = rows.first() {}
            let mut fields = Vec::new();
            let mut columns = Vec::new();
            $(add(&mut fields, &mut columns, stringify!($field), rows.iter().map(|row| &row.$field));)*
            RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
        }
    };
}

fn add<'a, C: Cell + 'a>(
    fields: &mut Vec<Field>,
    columns: &mut Vec<ArrayRef>,
    name: &str,
    cells: impl Iterator<Item = &'a C>,
) {
    let column = C::column(cells);
    fields.push(Field::new(name, column.data_type().clone(), C::NULLABLE));
    columns.push(column);
}

table!(
    flows: FlowRow {
        flow, group, sent, delivered, lost, tagged, sent_bits, control_bits, delivered_bits, throughput_bps,
        delay_mean_s, delay_sd_s, delay_min_s, delay_max_s, delay_p99_s, over_jitter_limit, control_sent,
        control_delivered, control_lost, obeyed_mild, obeyed_severe, transfers, transfer_mean_s, transfers_unfinished,
        transfer_mean_all_s, connections, connections_given_up, produced, refused, unsent, waiting, acknowledged,
        unacknowledged, outstanding, transmitted, retransmitted, accepted, duplicates, outside_window, late, strays,
        error_reports, delay_transmission_mean_s, delay_production_mean_s
    }
);

table!(
    groups: GroupRow {
        group, flows, sent, delivered, lost, loss_ratio, tagged, load_bps, sent_bps, throughput_bps, nominal_bps,
        delay_mean_s, delay_p50_s, delay_p99_s, delay_p999_s, delay_max_s, over_jitter_limit, jitter_share,
        obeyed_mild, obeyed_severe, transfers, transfer_mean_s, transfers_unfinished, transfer_mean_all_s, fairness,
        connections, connections_given_up, produced, refused, unsent, waiting, acknowledged, unacknowledged,
        outstanding, transmitted, retransmitted, accepted, duplicates, outside_window, late, strays, error_reports,
        error_reports_sent, error_report_share, discard_share, success_once, success_all, accepted_per_s, power,
        delay_transmission_mean_s, delay_production_mean_s
    }
);

table!(
    ports: PortRow {
        port, from, to, rate_bps, arrived, departed, discarded, utilisation, queue_mean, queue_max, queue_max_start, marked,
        notices_mild, notices_severe, error_npdus, queue_mean_bits, waiting_mean_bits
    }
);

table!(
    queues: QueueRow {
        port, priority, arrived, discarded, queue_mean, queue_max, queue_max_start
    }
);

table!(
    losses: LossRow {
        place, group, discarded, control_discarded, tagged, notices_mild, notices_severe
    }
);

table!(
    levels: LevelRow {
        group, level, rate_share, share
    }
);

table!(
    series: SeriesRow {
        time_s, component, quantity, value
    }
);

table!(
    distributions: DistributionRow {
        group, delay_s, count
    }
);
