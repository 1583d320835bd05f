import type { LogRecord, OutputOf, QueryOf, telemetryOperations } from '@signalbox/contract'
import type { Static } from 'typebox'
import { toIso } from '../../platform/clock.ts'
import { readTimeRange } from '../../platform/time-range.ts'
import { parseAttribute } from '../attribute-text.ts'
import { orNull, presentAttributes, toJson } from '../present-span.ts'
import type { ReadDependencies } from '../reads/cursor.ts'
import { openPlace, sealPlace } from '../reads/cursor.ts'
import { toAttributes } from '../reads/stored-span.ts'
import type { FacetList } from '../reads/value-repository.ts'
import { conditionOfLogs, findLogs, type StoredLog } from './log-repository.ts'

/** A record as the API shows it; values are as in spans. */
export function presentLog(log: StoredLog): Static<typeof LogRecord> {
	return {
		recorded_at: toIso(Number(BigInt(log.recorded_ns) / 1_000_000n)),
		time_unix_nano: log.time_unix_nano === '0' ? null : log.time_unix_nano,
		observed_time_unix_nano: log.observed_time_unix_nano === '0' ? null : log.observed_time_unix_nano,
		trace_id: orNull(log.trace.replace(/^0+$/, '')),
		span_id: orNull(log.span.replace(/^0+$/, '')),
		flags: log.flags,
		severity_number: log.severity_number,
		severity_text: log.severity_text,
		event_name: orNull(log.event_name),
		body: toJson(parseAttribute(log.body, log.body_type || undefined)),
		attributes: presentAttributes(toAttributes(log.attributes, log.attribute_types)),
		dropped_attributes: log.dropped_attributes,
		service_name: orNull(log.service_name),
		resource: presentAttributes(toAttributes(log.resource, log.resource_types)),
		resource_schema_url: log.resource_schema_url,
		scope: {
			name: log.scope_name,
			version: log.scope_version,
			attributes: presentAttributes(toAttributes(log.scope_attributes, log.scope_attribute_types)),
			schema_url: log.scope_schema_url,
		},
	}
}

/** The fields by which log records are filtered, with counts. */
export const logFacets: FacetList = {
	table: 'logs',
	fields: {
		severity: {
			sql: `if(severity_number = 0, '', ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'][least(6, intDiv(severity_number + 3, 4))])`,
			filter: 'severity_min',
		},
		service: { sql: 'service_name', filter: 'service' },
		event_name: { sql: 'event_name', filter: 'event_name' },
	},
	conditions: conditionOfLogs,
	isError: 'severity_number >= 17',
}

type Operation = (typeof telemetryOperations)['logs']

/** The cursor contains the range, because `-24h` must not move from page to page. */
interface LogCursor {
	startMs: number
	endMs: number
	afterNs: string
	afterHash: string
}

const cursorKind = 'log_cursor'

export async function listLogs(
	{ telemetry, sealer, clock }: ReadDependencies,
	workspaceId: string,
	{ start, end, limit, cursor, ...filter }: QueryOf<Operation>,
): Promise<OutputOf<Operation>> {
	const position =
		cursor === undefined ? null : openPlace<LogCursor>(sealer, { workspaceId, kind: cursorKind }, cursor)
	const range =
		position ??
		readTimeRange({ ...(start !== undefined && { start }), ...(end !== undefined && { end }) }, clock.nowMs())
	const rows = await findLogs(telemetry, workspaceId, { range, filter, after: position, limit })
	const last = rows.at(-1)
	const next = last && {
		startMs: range.startMs,
		endMs: range.endMs,
		afterNs: last.recorded_ns,
		afterHash: last.hash,
	}
	const isFull = rows.length >= limit
	return {
		logs: rows.map(presentLog),
		next_cursor: next && isFull ? sealPlace(sealer, { workspaceId, kind: cursorKind }, next) : null,
	}
}
