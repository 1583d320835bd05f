import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { randomCases } from '../../platform/random-cases.testing.ts'
import { decideModelAccess, type ModelAccessQuery } from './decide-access.ts'

const agent = { name: 'Agent', status: 'active' as const, modelAccess: { mode: 'all' as const } }
const selecting = (...models: string[]) => ({
	...agent,
	modelAccess: { mode: 'selected' as const, connections: new Map([['openai', models]]) },
})
const query: ModelAccessQuery = { agent, connection: 'openai', model: 'gpt-5' }

describe('decideModelAccess', () => {
	it.each<[string, Partial<ModelAccessQuery>]>([
		['every model by default', {}],
		['a call without a model by default', { model: null }],
		['a model that is named', { agent: selecting('gpt-5') }],
		['a model that matches', { agent: selecting('gpt-*') }],
		['a model that matches in the middle', { agent: selecting('g*-*5') }],
		['a call without a model where every one is open', { agent: selecting('*'), model: null }],
		['the connection itself', { agent: selecting('gpt-4'), model: undefined }],
	])('allows %s', (_what, change) => {
		expect(decideModelAccess({ ...query, ...change })).toMatchObject({ allowed: true, reason: 'granted' })
	})

	it.each<[string, Partial<ModelAccessQuery>, string]>([
		['an unknown agent', { agent: undefined }, 'agent_unknown'],
		['a paused agent', { agent: { ...agent, status: 'paused' } }, 'agent_not_active'],
		['another connection', { agent: selecting('*'), connection: 'OpenAI' }, 'connection_not_granted'],
		['an inherited name', { agent: selecting('*'), connection: 'constructor' }, 'connection_not_granted'],
		['another model', { agent: selecting('gpt-4', 'o*') }, 'model_not_granted'],
		['a model in other letters', { agent: selecting('GPT-5') }, 'model_not_granted'],
		['a model with an ending', { agent: selecting('gpt'), model: 'gpt-5' }, 'model_not_granted'],
		['parts that overlap', { agent: selecting('ab*ba'), model: 'aba' }, 'model_not_granted'],
		['a call without a model', { agent: selecting('gpt-*'), model: null }, 'model_not_granted'],
		['every model of an empty list', { agent: selecting() }, 'model_not_granted'],
	])('denies %s', (_what, change, reason) => {
		expect(decideModelAccess({ ...query, ...change })).toMatchObject({ allowed: false, reason })
	})

	it('treats `*` like `.*` in a regular expression', () => {
		const text = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 })
		const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), minLength: 1, maxLength: 6 })
		fc.assert(
			fc.property(pattern, text, (given, model) => {
				const source = given.replaceAll('.', '\\.').replaceAll('*', '.*')
				const expected = new RegExp(`^${source}$`).test(model)
				expect(decideModelAccess({ ...query, agent: selecting(given), model }).allowed).toBe(expected)
			}),
			{ numRuns: randomCases(3000) },
		)
	})
})
