import type { TestStore } from '../../platform/clickhouse/testing.ts'
import type { SpanRow } from '../span-row.ts'
import { type Block, readBlocks } from './block.ts'
import { toNative } from './native.ts'
import { encodeSpanBlock, spanLayouts } from './span-block.ts'

/** Spans as blocks in the format of the log, `size` rows per body. */
export function spanBlocksOf(rows: readonly SpanRow[], size: number): Block[] {
	const bodies = Array.from({ length: Math.ceil(rows.length / size) }, (_, at) =>
		encodeSpanBlock(rows.slice(at * size, (at + 1) * size)),
	)
	return bodies.flatMap((body) => readBlocks(body, spanLayouts))
}

export async function insertSpanBlocks(
	store: TestStore['store'],
	blocks: readonly Block[],
	deduplicationToken: string,
): Promise<void> {
	await store.insertRowBinary({
		...{ table: 'spans', columns: spanLayouts.map(({ name }) => name), format: 'Native', deduplicationToken },
		rows: Buffer.from(toNative(blocks, spanLayouts, (bytes) => Buffer.alloc(bytes))),
	})
}
