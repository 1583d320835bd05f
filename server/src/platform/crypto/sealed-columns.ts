import type { Selectable } from 'kysely'
import type { ControlSchema } from '../database/schema.ts'
import type { SealContext } from './seal.ts'

type Table = keyof ControlSchema & string
type Row = Record<string, string>

/** A column of sealed text in a table with the key `id`, and the context of each row's secret. */
export interface SealedColumn {
	table: string
	column: string
	contextOf(row: Row): SealContext
}

/**
 * Every column that holds sealed text: a new master key has to reseal them. A test fails if a column whose name starts with
 * `sealed_` is missing here; a wrong context stops the rotation before a key is lost.
 */
export const sealedColumns: readonly SealedColumn[] = [
	sealed('instance_keys', 'sealed_value', ({ id }) => bound('', 'instance_key', id)),
	sealed('signing_keys', 'sealed_private_jwk', ({ id }) => bound('', 'signing_key', id)),
	sealed('mail_links', 'sealed_link', ({ id }) => bound('', 'mail_link', id)),
	sealed('sign_in_flows', 'sealed_secrets', ({ id, issuer }) => bound('', 'sign_in_flow', id, issuer)),
	sealed('connections', 'sealed_key', (row) =>
		bound(row.workspace_id, connectionKind(row.provider), row.id, originOf(row.base_url)),
	),
	sealed('mcp_servers', 'sealed_headers', (row) =>
		bound(row.workspace_id, 'server_headers', row.id, originOf(row.endpoint_url)),
	),
	sealed('mcp_servers', 'sealed_env', (row) => bound(row.workspace_id, 'server_env', row.id)),
	sealed('upstream_auth', 'sealed_client_secret', (row) =>
		bound(row.workspace_id, 'upstream_client', row.id, row.issuer ?? ''),
	),
	sealed('upstream_tokens', 'sealed_tokens', (row) =>
		bound(row.workspace_id, 'upstream_token', row.id, row.origin),
	),
	sealed('upstream_flows', 'sealed_secrets', (row) =>
		bound(row.workspace_id, 'upstream_flow', row.id, row.origin),
	),
	sealed('webhooks', 'sealed_secret', (row) =>
		bound(row.workspace_id, 'webhook_secret', row.id, originOf(row.url)),
	),
	sealed('webhooks', 'sealed_previous_secret', (row) =>
		bound(row.workspace_id, 'webhook_secret', row.id, originOf(row.url)),
	),
	sealed('webhooks', 'sealed_address', (row) =>
		bound(row.workspace_id, 'webhook_address', row.id, originOf(row.url)),
	),
	sealed('webhooks', 'sealed_slack_secret', (row) => bound(row.workspace_id, 'slack_signing_secret', row.id)),
	sealed('hooks', 'sealed_secret', (row) =>
		bound(row.workspace_id, 'hook_secret', row.id, originOf(row.url ?? '')),
	),
	sealed('hooks', 'sealed_previous_secret', (row) =>
		bound(row.workspace_id, 'hook_secret', row.id, originOf(row.url ?? '')),
	),
	sealed('forwarders', 'sealed_headers', (row) =>
		bound(row.workspace_id, 'forwarder_headers', row.id, originOf(row.url)),
	),
	sealed('approvals', 'sealed_arguments', (row) => bound(row.workspace_id, 'approval_arguments', row.id)),
	sealed('mcp_letters', 'sealed_content', (row) => bound(row.workspace_id, 'mcp_letter', row.id)),
	sealed('mcp_kept_results', 'sealed_content', (row) => bound(row.workspace_id, 'mcp_result', row.id)),
	sealed('mcp_tasks', 'sealed_call', (row) => bound(row.workspace_id, 'mcp_task', row.id)),
	sealed('mcp_tasks', 'sealed_state', (row) => bound(row.workspace_id, 'mcp_task', row.id)),
	sealed('mcp_upstream_sessions', 'sealed_session', (row) =>
		bound(row.workspace_id, 'mcp_upstream_session', row.id),
	),
	sealed('idempotency_keys', 'sealed_request', (row) => bound(row.workspace_id, 'idempotent_answer', row.id)),
	sealed('idempotency_keys', 'sealed_answer', (row) => bound(row.workspace_id, 'idempotent_answer', row.id)),
]

/** Keys of the first providers were sealed before there were others, so they are bound to their origin only. */
const firstProviders = new Set(['openai', 'anthropic', 'openai_compatible'])

/** The kind under which a connection's secret is sealed, so that a secret of one provider does not open as another's. */
export function connectionKind(provider: string): string {
	return firstProviders.has(provider) ? 'connection' : `connection.${provider}`
}

function sealed<T extends Table>(
	table: T,
	column: keyof ControlSchema[T] & string,
	contextOf: (row: Selectable<ControlSchema[T]>) => SealContext,
): SealedColumn {
	return { table, column, contextOf: contextOf as unknown as SealedColumn['contextOf'] }
}

function bound(workspaceId: string, kind: string, id: string, origin = ''): SealContext {
	return { workspaceId, kind, origin, id }
}

function originOf(url: string): string {
	return new URL(url).origin
}
