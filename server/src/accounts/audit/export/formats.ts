import { toIso } from '../../../platform/clock.ts'
import { csvLine } from '../../../platform/csv.ts'
import type { AuditRow } from '../chain.ts'
import { presentRecord } from '../present-record.ts'

export interface ExportFormat {
	contentType: string
	head: string
	line(row: AuditRow): string
}

const columns = [
	'seq',
	'id',
	'at',
	'action',
	'actor_kind',
	'actor_id',
	'actor_name',
	'target_kind',
	'target_id',
	'target_name',
	'request_id',
	'detail',
	'chain',
] as const

/** Both tell the place in the chain and the link, so that an export can be held against the log later. */
export const exportFormats = {
	jsonl: {
		contentType: 'application/x-ndjson; charset=utf-8',
		head: '',
		line: (row) => `${JSON.stringify({ seq: row.seq, ...presentRecord(row), chain: row.chain })}\n`,
	},
	csv: {
		contentType: 'text/csv; charset=utf-8; header=present',
		head: csvLine(columns),
		line: (row) => csvLine(columns.map((name) => (name === 'at' ? toIso(row.at) : row[name]))),
	},
} satisfies Record<string, ExportFormat>
