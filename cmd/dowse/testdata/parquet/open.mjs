// Prints the rows of a Parquet file as JSON, and how many row groups it has and how they are compressed.
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'

const file = await asyncBufferFromFile(process.argv[2])
const metadata = await parquetMetadataAsync(file)
const rows = await parquetReadObjects({ file, compressors })
const codecs = metadata.row_groups.flatMap(g => g.columns.map(c => c.meta_data.codec))
const out = { groups: metadata.row_groups.length, codecs: [...new Set(codecs)], columns: metadata.schema.slice(1).map(e => e.name), rows }
process.stdout.write(JSON.stringify(out, (_, v) => typeof v === 'bigint' ? Number(v) : v))
