import type { OutputOf, serverOperations } from '@signalbox/contract'
import { toIso } from '../platform/clock.ts'
import type { Sealer } from '../platform/crypto/seal.ts'
import { parseExactNumbers } from '../platform/json/parse-json.ts'
import { pendingOf } from './further-discovery.ts'
import { openEnv } from './programs.ts'
import type { ServerRow } from './server-repository.ts'
import { openHeaders } from './stored-headers.ts'
import { sumOf, type ToolRow } from './tool-definitions/tool-definitions.ts'

export type ServerDocument = OutputOf<(typeof serverOperations)['get']>
export type ToolListDocument = OutputOf<(typeof serverOperations)['tools']>
export type HealthDocument = OutputOf<(typeof serverOperations)['health']>

/** The fields of a server in lists and in single responses. */
export function presentServerFields(row: ServerRow, sealer: Sealer) {
	return {
		id: row.id,
		name: row.name,
		slug: row.slug,
		description: row.description,
		endpoint_url: row.endpoint_url,
		command: row.command === '' ? null : row.command,
		args: JSON.parse(row.args) as string[],
		transport_type: row.transport_type as ServerDocument['transport_type'],
		hosting_mode: row.hosting_mode as ServerDocument['hosting_mode'],
		status: row.status as ServerDocument['status'],
		health_status: row.health_status as ServerDocument['health_status'],
		health_error: row.last_error,
		tools_pending: toolsPending(row),
		last_health_check: toIso(row.last_health_check),
		definition_policy: row.definition_policy as ServerDocument['definition_policy'],
		configuration: JSON.parse(row.configuration) as Record<string, unknown>,
		call_limits: JSON.parse(row.call_limits ?? '{}') as ServerDocument['call_limits'],
		max_result_bytes: row.max_result_bytes,
		tool_prefix: row.tool_prefix,
		tool_aliases: JSON.parse(row.tool_aliases ?? '{}') as Record<string, string>,
		header_names: namesOf(() => [...openHeaders(sealer, row).keys()]),
		env_names: namesOf(() => Object.keys(openEnv(sealer, row))),
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
	}
}

/** Sorted; empty if the secrets do not open (another master key), which the server's health shows. */
function namesOf(open: () => string[]): string[] {
	try {
		return open().sort()
	} catch {
		return []
	}
}

/** Why not all tools of a server are known; null if they are. */
function toolsPending(row: ServerRow): string | null {
	const pending = pendingOf(row)
	return pending ?? (row.tools_refreshed_at === null ? (row.last_error ?? 'It was not asked yet.') : null)
}

export function presentHealth(row: ServerRow): HealthDocument {
	return {
		status: row.health_status as HealthDocument['status'],
		latency_ms: row.last_latency_ms,
		protocol_version: row.protocol_version,
		last_checked: toIso(row.last_health_check),
		error: row.last_error,
	}
}

export function presentTools(row: ServerRow, tools: readonly ToolRow[]): ToolListDocument {
	return {
		tools: tools.map(({ name, definition, hash, pin, tokens }) => ({
			name,
			hash,
			pin: pin as ToolListDocument['tools'][number]['pin'],
			definition_tokens: tokens,
			...shownFields(parseExactNumbers(definition) as Record<string, unknown>),
		})),
		definition_tokens: sumOf(tools),
		refreshed_at: row.tools_refreshed_at === null ? null : toIso(row.tools_refreshed_at),
		pending: toolsPending(row),
	}
}

/** A server may send anything in these fields, so each is coerced to the type that the API promises. */
function shownFields({
	title,
	description,
	inputSchema,
	outputSchema,
	annotations,
}: Record<string, unknown>) {
	return {
		title: typeof title === 'string' ? title : null,
		description: typeof description === 'string' ? description : '',
		input_schema: inputSchema ?? null,
		output_schema: outputSchema ?? null,
		annotations: annotations ?? null,
	}
}
