import { expect, test } from 'vitest'
import type { ModelRoute } from './queries.ts'
import { draftOf, inputOf } from './route-draft.ts'

const route: ModelRoute = {
	id: 'r1',
	name: 'main',
	strategy: 'weighted',
	retries: 2,
	first_token_timeout_ms: 1500,
	idle_timeout_ms: null,
	total_timeout_ms: 60_000,
	targets: [
		{ connection: 'openai', model: null, weight: 3, for_models: ['*'] },
		{ connection: 'azure', model: 'gpt-5', weight: 1, for_models: ['gpt-5*', 'o3'] },
	],
	created_at: '2026-11-21T10:00:00.000Z',
	updated_at: '2026-11-21T10:00:00.000Z',
	warnings: [],
}

test('a route that is opened and saved stays the same', () => {
	const { id: _id, created_at: _created, updated_at: _updated, warnings: _warnings, ...same } = route
	expect(inputOf(draftOf(route))).toEqual(same)
})

test('empty fields mean no limit, the model of the caller, and all models', () => {
	const draft = { ...draftOf(route), firstToken: ' ', total: '0.25' }
	const [first] = draft.targets
	const cleared = {
		...draft,
		targets: [{ ...first, model: ' ', forModels: ' , ' } as NonNullable<typeof first>],
	}
	expect(inputOf(cleared)).toMatchObject({
		...{ first_token_timeout_ms: null, total_timeout_ms: 250 },
		targets: [{ connection: 'openai', model: null, for_models: ['*'] }],
	})
})
