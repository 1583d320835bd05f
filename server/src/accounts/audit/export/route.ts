import type { ServerResponse } from 'node:http'
import { auditExport } from '@signalbox/contract'
import { type Clock, toIso } from '../../../platform/clock.ts'
import { csvLine } from '../../../platform/csv.ts'
import type { ControlStore } from '../../../platform/database/index.ts'
import { createQueryReader, drained, principalIn, type Route } from '../../../platform/http/index.ts'
import { type AuditFilter, listRecordsFrom } from '../audit-repository.ts'
import type { AuditRow } from '../chain.ts'
import { presentRecord } from '../present-record.ts'
import { readFilter } from '../read-filter.ts'

interface ExportFormat {
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
const exportFormats = {
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

/** Records in memory at once, however slowly the client reads. */
const batchRows = 500

export interface ExportDependencies {
	store: ControlStore
	clock: Clock
}

const readQuery = createQueryReader(auditExport.query)

/** `GET /v1/audit/export`: the records of a time as a file, oldest first, written as the client takes it. */
export function exportRoute({ store, clock }: ExportDependencies): Route {
	return {
		id: auditExport.id,
		method: auditExport.method,
		path: auditExport.path,
		access: auditExport.access,
		family: 'api',
		handle: async (request, response, context) => {
			const { workspaceId } = principalIn(context)
			const query = readQuery(context.search)
			const format: ExportFormat = exportFormats[query.format]
			const filter = readFilter(query, clock.nowMs())
			response.writeHead(200, {
				'content-type': format.contentType,
				'content-disposition': `attachment; filename="audit.${query.format}"`,
				'cache-control': 'no-store',
			})
			if (request.method === 'HEAD') return void response.end()
			await writeRecords(store, workspaceId, filter, format, response)
		},
	}
}

async function writeRecords(
	store: ControlStore,
	workspaceId: string,
	filter: AuditFilter,
	format: ExportFormat,
	response: ServerResponse,
): Promise<void> {
	response.write(format.head)
	for (let afterSeq = 0; !response.destroyed; ) {
		const rows = await listRecordsFrom(store.db, workspaceId, filter, afterSeq, batchRows)
		const last = rows.at(-1)
		if (!last) break
		afterSeq = last.seq
		if (!response.write(rows.map(format.line).join(''))) await drained(response)
	}
	response.end()
}
