//! Result tables as Arrow record batches, which data frames use without a copy.
//!
//! A table has one batch. It is exported by the Arrow C stream protocol (`__arrow_c_stream__`), and sent between
//! processes as an Arrow IPC stream.

use std::iter::{once, repeat_n};
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, StringArray, UInt64Array};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, Field, FieldRef, Schema};
use arrow_select::concat::concat_batches;
use penstock_engine::report::Report;
use penstock_engine::report::table::{Column, Values};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};

/// One table of a run's results, for `polars.DataFrame(table)` and every other user of Arrow.
#[pyclass(frozen, module = "penstock._engine")]
pub(crate) struct Table {
    batch: RecordBatch,
}

impl Table {
    pub(crate) fn new(batch: RecordBatch) -> Table {
        Table { batch }
    }

    /// A table with these columns.
    pub(crate) fn of(columns: Vec<Column<'_>>) -> PyResult<Table> {
        Ok(Table { batch: batch(columns).map_err(unreadable)? })
    }
}

#[pymethods]
impl Table {
    /// Reads a pickled table: an Arrow IPC stream of one batch.
    #[staticmethod]
    fn from_ipc(stream: &[u8]) -> PyResult<Table> {
        let mut reader = StreamReader::try_new(stream, None).map_err(unreadable)?;
        let schema = reader.schema();
        let batch = reader.next().unwrap_or_else(|| Ok(RecordBatch::new_empty(schema))).map_err(unreadable)?;
        Ok(Table { batch })
    }

    /// Concatenates tables with the same columns, and adds a first column with the label of each table.
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

    /// The Arrow C stream of the table. It ignores a requested schema, as the protocol permits.
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
pub(crate) fn batches(report: &Report) -> PyResult<Vec<(&'static str, RecordBatch)>> {
    let tables = report.tables().into_iter();
    tables.map(|table| Ok((table.name, batch(table.columns).map_err(unreadable)?))).collect()
}

fn batch(columns: Vec<Column<'_>>) -> Result<RecordBatch, ArrowError> {
    let (mut fields, mut arrays) = (Vec::new(), Vec::new());
    for Column { name, values, .. } in columns {
        let is_optional = matches!(values, Values::OptionalCounts(_) | Values::OptionalNumbers(_));
        let array = array(values);
        fields.push(Field::new(name, array.data_type().clone(), is_optional));
        arrays.push(array);
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
}

fn array(values: Values<'_>) -> ArrayRef {
    match values {
        Values::Texts(texts) => Arc::new(StringArray::from(texts)),
        Values::Counts(counts) => Arc::new(UInt64Array::from(counts)),
        Values::Numbers(numbers) => Arc::new(Float64Array::from(numbers)),
        Values::OptionalCounts(counts) => Arc::new(UInt64Array::from(counts)),
        Values::OptionalNumbers(numbers) => Arc::new(Float64Array::from(numbers)),
    }
}

/// Every table and column with its meaning: `[[table, meaning, [[column, kind, meaning], ...]], ...]` as JSON.
pub(crate) fn columns() -> String {
    let report = Report::default();
    let tables = report.tables().into_iter().map(|table| {
        let column = |column: &Column<'_>| (column.name, column.values.kind(), column.meaning());
        (table.name, table.meaning(), table.columns.iter().map(column).collect::<Vec<_>>())
    });
    serde_json::to_string(&tables.collect::<Vec<_>>()).unwrap_or_default()
}
