import type { Hook, HookInput } from './queries.ts'

/** A hook while it is being edited. Lists are names separated by commas; an empty list means all. */
export interface HookDraft
	extends Pick<Hook, 'name' | 'enabled' | 'mode' | 'action' | 'stages' | 'fail_mode'> {
	pattern: string
	label: string
	url: string
	models: string
	connections: string
	agents: string
	timeoutMs: string
}

export const blankHook: HookDraft = {
	...{ name: '', enabled: true, mode: 'dry_run', action: 'deny', stages: ['request'], fail_mode: 'open' },
	...{ pattern: '', label: 'hook', url: '', models: '', connections: '', agents: '', timeoutMs: '2000' },
}

const typed = (patterns: readonly string[]) => (patterns.includes('*') ? '' : patterns.join(', '))

export function hookDraftOf(hook: Hook): HookDraft {
	const { id: _id, created_at: _created, updated_at: _updated, timeout_ms, ...same } = hook
	return {
		...same,
		pattern: hook.pattern ?? '',
		url: hook.url ?? '',
		models: typed(hook.models),
		connections: typed(hook.connections),
		agents: typed(hook.agents),
		timeoutMs: String(timeout_ms),
	}
}

function listOf(text: string): string[] {
	const names = text.split(',').map((name) => name.trim())
	const given = [...new Set(names.filter((name) => name !== ''))]
	return given.length > 0 ? given : ['*']
}

/** The draft in the form of the API, with only the fields that its action has. */
export function hookInputOf(draft: HookDraft): HookInput {
	const { name, enabled, mode, action, stages, fail_mode, pattern, label, url, timeoutMs } = draft
	return {
		...{ name: name.trim(), enabled, mode, action, fail_mode },
		stages: stagesOf(draft.action, stages),
		models: listOf(draft.models),
		connections: listOf(draft.connections),
		agents: listOf(draft.agents),
		...(action === 'webhook' ? { url: url.trim(), timeout_ms: Number(timeoutMs) } : { pattern }),
		...(action !== 'deny' && { label }),
	}
}

/** A stream cannot be redacted, because what has been sent cannot be changed. */
export function stagesOf(action: Hook['action'], stages: Hook['stages']): Hook['stages'] {
	return action === 'redact' ? stages.filter((stage) => stage !== 'stream') : stages
}
