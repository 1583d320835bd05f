import { describe, expect, it } from 'vitest'
import { type AccessQuery, decideAccess } from './decide-access.ts'
import type { GrantEntry } from './grant-entry.ts'
import { toGrantEntry } from './grant-view.ts'
import { uriPattern } from './uri-pattern.ts'

const whole: GrantEntry = toGrantEntry({
	...{ id: 'g', workspace_id: 'w', server_id: 's', agent_id: 'a', source: 'manual', access_mode: 'all' },
	...{ allowed_tools: null, allowed_prompts: null, allowed_resources: null, enabled: 1, expires_at: null },
	...{
		constraints: null,
		approval: null,
		approver: null,
		approval_wait_ms: null,
		denied_hints: null,
		call_limits: null,
	},
	...{ created_at: 1, updated_at: 1 },
})
const selected: GrantEntry = { ...whole, accessMode: 'selected', allowedTools: new Set(['echo']) }
const query: AccessQuery = {
	agent: { id: 'a', workspaceId: 'w', name: 'Agent', status: 'active' },
	server: { id: 's', workspaceId: 'w', name: 'Server', status: 'active' },
	grants: [whole],
	tool: null,
	nowMs: 1,
}
const prompts = { ...selected, allowedPrompts: new Set(['greet']) }
const resources = { ...selected, allowedResources: [uriPattern('file:///docs/*')] }

describe('prompts and resources', () => {
	it.each<[string, Partial<AccessQuery>, string]>([
		['any prompt of a whole server', { prompt: 'greet' }, 'granted_all'],
		['any resource of a whole server', { resource: 'file:///a' }, 'granted_all'],
		['a prompt that was selected', { grants: [prompts], prompt: 'greet' }, 'granted_selected'],
		['one that another grant selects', { grants: [selected, prompts], prompt: 'greet' }, 'granted_selected'],
		[
			'a resource that a pattern matches',
			{ grants: [resources], resource: 'file:///docs/a' },
			'granted_selected',
		],
	])('are granted: %s', (_what, asked, reason) => {
		expect(decideAccess({ ...query, ...asked })).toMatchObject({ allowed: true, reason })
	})

	it.each<[string, Partial<AccessQuery>, string]>([
		[
			'a prompt where only tools are selected',
			{ grants: [selected], prompt: 'greet' },
			'prompt_not_selected',
		],
		['one of the name of a granted tool', { grants: [prompts], prompt: 'echo' }, 'prompt_not_selected'],
		[
			'a resource where only tools are',
			{ grants: [selected], resource: 'file:///a' },
			'resource_not_selected',
		],
		['one beside the pattern', { grants: [resources], resource: 'file:///a' }, 'resource_not_selected'],
		[
			'one that is switched off',
			{ grants: [{ ...whole, enabled: false }], prompt: 'greet' },
			'grant_disabled',
		],
	])('are denied: %s', (_what, asked, reason) => {
		expect(decideAccess({ ...query, ...asked })).toMatchObject({ allowed: false, reason })
	})
})
