import { expect, test } from 'vitest'
import { blankHook, hookDraftOf, hookInputOf } from './hook-draft.ts'
import type { Hook } from './queries.ts'

const hook: Hook = {
	...{ id: 'h1', name: 'Guard', enabled: false, mode: 'enforce', action: 'webhook', fail_mode: 'closed' },
	...{ stages: ['request', 'stream'], connections: ['*'], models: ['gpt-*', 'o3'], agents: ['Support'] },
	...{ pattern: null, label: 'guarded', url: 'https://example.org/hooks', timeout_ms: 500 },
	old_secret_expires_at: null,
	...{ created_at: '2026-11-21T10:00:00.000Z', updated_at: '2026-11-21T10:00:00.000Z' },
}

test('a hook is unchanged after opening and saving the form', () => {
	const { id: _id, created_at: _created, updated_at: _updated, pattern: _pattern, ...shown } = hook
	const { old_secret_expires_at: _old, ...input } = shown
	expect(hookInputOf(hookDraftOf(hook))).toEqual(input)
})

test('only the fields of its action are sent, and a stream is not redacted', () => {
	const draft = { ...blankHook, name: ' Staff ', pattern: 'EMP', url: 'https://left.over', label: 'staff' }
	expect(hookInputOf({ ...draft, action: 'deny' })).not.toHaveProperty('label')
	expect(hookInputOf({ ...draft, action: 'redact', stages: ['request', 'stream'] })).toEqual({
		...{ name: 'Staff', enabled: true, mode: 'dry_run', action: 'redact', fail_mode: 'open' },
		...{ stages: ['request'], models: ['*'], connections: ['*'], agents: ['*'] },
		...{ pattern: 'EMP', label: 'staff' },
	})
})
