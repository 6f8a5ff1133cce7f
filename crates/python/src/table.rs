//! Result tables as Arrow record batches, which data frames use without a copy.
//!
//! A table has one batch. It is exported by the Arrow C stream protocol (`__arrow_c_stream__`), and sent between
//! processes as the buffers of its columns. The crates for Arrow's file format and for its kernels are not used: they
//! take longer to build than the rest of this one.

use std::iter::{once, repeat_n};
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, StringBuilder, UInt64Builder};
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, StringArray, UInt64Array, make_array,
};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema};
use penstock_engine::report::Report;
use penstock_engine::report::table::{Column, Values};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// A column as another process gets it: see `Table::packed`.
type Packed = (String, String, bool, usize, Vec<Vec<u8>>, Option<Vec<u8>>);

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
    /// The table of these columns: see `packed`.
    #[staticmethod]
    fn from_packed(columns: Vec<Packed>) -> PyResult<Table> {
        let mut fields = Vec::new();
        let mut arrays = Vec::new();
        for (name, kind, is_optional, rows, buffers, present) in columns {
            let kind: DataType = kind.parse().map_err(unreadable)?;
            let data = ArrayData::builder(kind.clone()).len(rows).align_buffers(true);
            let data = data.buffers(buffers.iter().map(|buffer| buffer[..].into()).collect());
            let data = data.null_bit_buffer(present.map(|bits| bits[..].into()));
            arrays.push(make_array(data.build().map_err(unreadable)?));
            fields.push(Field::new(name, kind, is_optional));
        }
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).map_err(unreadable)?;
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
        let schema = first.batch.schema();
        if tables.iter().any(|table| table.batch.schema() != schema) {
            return Err(PyValueError::new_err("tables of other columns cannot be stacked"));
        }
        let rows = labels.iter().zip(&tables).flat_map(|(label, table)| repeat_n(label, table.batch.num_rows()));
        let label: ArrayRef = Arc::new(StringArray::from_iter_values(rows));
        let field = Arc::new(Field::new(column, label.data_type().clone(), false));
        let fields: Vec<FieldRef> = once(field).chain(schema.fields().iter().cloned()).collect();
        let mut columns = vec![label];
        for number in 0..schema.fields().len() {
            let parts: Vec<&ArrayRef> = tables.iter().map(|table| table.batch.column(number)).collect();
            columns.push(concatenated(&parts).map_err(unreadable)?);
        }
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map_err(unreadable)?;
        Ok(Table { batch })
    }

    /// The columns, as `from_packed` reads them: name, Arrow type, whether values may be missing, rows, Arrow buffers, and
    /// a bitmap of the values that are present if some are missing.
    fn packed(&self) -> Vec<Packed> {
        let pack = |(field, array): (&FieldRef, &ArrayRef)| {
            let data = array.to_data();
            let buffers = data.buffers().iter().map(|buffer| buffer.to_vec()).collect();
            let present = data.nulls().map(|nulls| nulls.inner().sliced().to_vec());
            (field.name().clone(), field.data_type().to_string(), field.is_nullable(), array.len(), buffers, present)
        };
        self.batch.schema().fields().iter().zip(self.batch.columns()).map(pack).collect()
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

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Vec<Packed>,))> {
        Ok((py.get_type::<Table>().getattr("from_packed")?, (self.packed(),)))
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

/// Columns of one type, one after the other.
fn concatenated(parts: &[&ArrayRef]) -> Result<ArrayRef, ArrowError> {
    let rows = parts.iter().map(|part| part.len()).sum();
    Ok(match parts[0].data_type() {
        DataType::UInt64 => {
            let mut whole = UInt64Builder::with_capacity(rows);
            parts.iter().for_each(|part| whole.append_array(part.as_primitive::<UInt64Type>()));
            Arc::new(whole.finish())
        }
        DataType::Float64 => {
            let mut whole = Float64Builder::with_capacity(rows);
            parts.iter().for_each(|part| whole.append_array(part.as_primitive::<Float64Type>()));
            Arc::new(whole.finish())
        }
        DataType::Utf8 => {
            let mut whole = StringBuilder::with_capacity(rows, 0);
            parts.iter().try_for_each(|part| whole.append_array(part.as_string::<i32>()))?;
            Arc::new(whole.finish())
        }
        other => return Err(ArrowError::NotYetImplemented(format!("no table has a column of {other}"))),
    })
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
