import type { HookAction, HookStage } from '@signalbox/contract'
import type { SealContext } from '../../../platform/crypto/seal.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'
import { compileOwnPattern } from '../../../platform/redaction/own-pattern.ts'

export type HookRow = ControlSchema['hooks']

/** Removes its matches from a text, step by step, and reports each one. */
export type Redact = (text: string, onMatch: () => void) => Iterator<void, string>

/** Also used for signing until it expires. */
export interface OldSecret {
	secret: string
	expiresMs: number
}

/** A hook in the form used to check calls. */
export interface Hook {
	id: string
	workspaceId: string
	name: string
	action: HookAction
	/** False for a dry run. */
	enforced: boolean
	failsClosed: boolean
	timeoutMs: number
	stages: ReadonlySet<HookStage>
	connections: readonly string[]
	models: readonly string[]
	agents: readonly string[]
	label: string
	/** Null for a webhook. */
	redact: Redact | null
	/** Null unless the hook is a webhook. */
	webhook: { url: string; secret: string; old: OldSecret | null } | null
}

/** `open` decrypts a secret of its webhook. */
export function toHook(row: HookRow, open: (row: HookRow, sealed: string) => string): Hook {
	const { label, pattern, url } = row
	const list = (json: string) => JSON.parse(json) as string[]
	const own = pattern === null ? null : compileOwnPattern(pattern)
	return {
		id: row.id,
		workspaceId: row.workspace_id,
		name: row.name,
		action: row.action as HookAction,
		enforced: row.mode === 'enforce',
		failsClosed: row.fail_mode === 'closed',
		timeoutMs: row.timeout_ms,
		stages: new Set(list(row.stages) as HookStage[]),
		connections: list(row.connections),
		models: list(row.models),
		agents: list(row.agents),
		label,
		redact: own && ((text, onMatch) => own.replacing(text, label, onMatch)),
		webhook:
			url === null ? null : { url, secret: open(row, row.sealed_secret ?? ''), old: oldSecret(row, open) },
	}
}

function oldSecret(row: HookRow, open: (row: HookRow, sealed: string) => string): OldSecret | null {
	const { sealed_previous_secret: sealed, previous_expires_at: expiresMs } = row
	return sealed === null || expiresMs === null ? null : { secret: open(row, sealed), expiresMs }
}

/** The context to which a hook's secret is bound, so that it is never used to sign for another receiver. */
export function hookSecretContext(row: Pick<HookRow, 'id' | 'workspace_id' | 'url'>): SealContext {
	const origin = new URL(row.url ?? '').origin
	return { workspaceId: row.workspace_id, kind: 'hook_secret', origin, id: row.id }
}
