import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../accounts/identity/testing.ts'
import { createPriceCall } from '../../ledger/ledger.ts'
import { describeOnBothDatabases } from '../../platform/database/testing.ts'
import { type Budgets, openBudgets } from './budgets.ts'

describeOnBothDatabases('budgets', (store) => {
	let budgets: Budgets
	let app: TestApp
	beforeAll(async () => {
		app = await startTestApp(store(), {
			open: (core) => {
				budgets = openBudgets({ ...core, priceCall: createPriceCall() })
				return budgets
			},
		})
	})
	afterAll(async () => {
		await budgets?.close()
		await app?.close()
	})

	const path = '/v1/budgets'
	const team = { name: 'Team', scope: 'workspace', limit: '5000000000', window: 'month' }
	const send = (method: string, to: string, body?: object, headers = {}) =>
		app.request(method, to, { token: app.owner.token, headers, ...(body && { body }) })
	const create = async (body: object) => (await send('POST', path, body)).body

	it('is created with plain defaults and shows its state', async () => {
		const budget = await create(team)
		expect(budget).toMatchObject({
			mode: 'hard',
			unit: 'nano_usd',
			unpriced: 'deny',
			thresholds: [50, 80, 100],
			time_zone: 'UTC',
			state: { spent: '0', left: '5000000000', reserved: '0', exhausted_at: null },
		})
		expect((await send('GET', `${path}/${budget.id}`)).body).toEqual(budget)
		const listed = await send('GET', `${path}?scope=workspace`)
		expect(listed.body.budgets).toEqual([budget])
	})

	it('accepts what it returned, and changes only what may change', async () => {
		const { id } = await create(team)
		const shown = await send('GET', `${path}/${id}`)
		const etag = shown.headers.get('etag')
		const same = await send('PATCH', `${path}/${id}`, shown.body, { 'if-match': etag })
		expect(same.status).toBe(200)
		const changed = await send('PATCH', `${path}/${id}`, { limit: '7', mode: 'soft', enabled: false })
		expect(changed.body).toMatchObject({ limit: '7', mode: 'soft', enabled: false })
		expect((await send('PATCH', `${path}/${id}`, { limit: '8' }, { 'if-match': etag })).status).toBe(412)
		for (const field of [
			{ window: 'day' },
			{ unit: 'tokens' },
			{ scope: 'agent' },
			{ time_zone: 'Asia/Tokyo' },
		])
			expect((await send('PATCH', `${path}/${id}`, field)).status).toBe(400)
		expect((await send('DELETE', `${path}/${id}`)).status).toBe(204)
		expect((await send('GET', `${path}/${id}`)).status).toBe(404)
	})

	it.each([
		['no amount', { limit: '0' }],
		['a fraction', { limit: '1.5' }],
		['more than is exact', { limit: '9999999999999999' }],
		['a zone that is none', { time_zone: 'Mars/Olympus' }],
		['a rolling window without length', { window: 'rolling' }],
		['a length for a month', { rolling_s: 3600 }],
		['one of the workspace', { scope_id: 'x' }],
		['the name of an agent', { scope: 'agent', scope_id: 'Summariser' }],
		['the name of a key', { scope: 'key', scope_id: 'models' }],
		['a ceiling without its amount', { unpriced: 'ceiling' }],
		['an amount without ceiling', { unpriced_ceiling: '5' }],
		['a threshold over all', { thresholds: [150] }],
		['an unknown field', { amount: 5 }],
	])('refuses %s', async (_name, fields) => {
		const { status, body } = await send('POST', path, { ...team, ...fields })
		expect([status, body.code]).toEqual([400, 'invalid_request'])
	})

	it('can be changed by admins and seen by all, and every change is audited', async () => {
		const member = await app.memberOf('member')
		const { id } = await create({ ...team, name: 'Audited' })
		expect((await app.request('POST', path, { token: member.token, body: team })).status).toBe(403)
		expect((await app.request('GET', `${path}/${id}`, { token: member.token })).status).toBe(200)
		const { body } = await send('GET', '/v1/audit?limit=9')
		const entry = body.audit.find(({ action }: { action: string }) => action === 'budgets.create')
		expect(entry).toMatchObject({ target: { name: 'Audited' } })
		const stranger = await app.register()
		for (const method of ['GET', 'PATCH', 'DELETE'])
			expect(
				(
					await app.request(method, `${path}/${id}`, {
						token: stranger.token,
						body: method === 'PATCH' ? { limit: '1' } : undefined,
					})
				).status,
			).toBe(404)
	})

	it('of scope session counts every session separately', async () => {
		const other = await app.register()
		const body = { ...team, scope: 'session', unit: 'tokens', limit: '10000', unpriced: 'allow' }
		const { body: budget } = await app.request('POST', path, { token: other.token, body })
		expect(budget.state).toBeNull()
		const call = callIn(other.workspaceId)
		const hold = (sessionId: string) => budgets.spending.hold({ ...call, sessionId })
		const first = await hold('one')
		const spent = { costNanoUsd: null, tokens: { input: 9000, output: 999 }, reported: false }
		first?.settle(spent)
		await expect(hold('one')).rejects.toThrow('has 1 token left')
		;(await hold('two'))?.settle({ ...spent, tokens: { input: 1, output: 1 } })
		await budgets.tell()
		const { body: seen } = await app.request('GET', `${path}/${budget.id}/spending`, { token: other.token })
		expect(
			seen.spending.map((one: { scope_id: string; state: { spent: string } }) => [
				one.scope_id,
				one.state.spent,
			]),
		).toEqual([
			['one', '9999'],
			['two', '2'],
		])
	})

	it('with a raised limit is not exhausted until it refuses a call again', async () => {
		const other = await app.register()
		const ask = async (method: string, to: string, body?: object) =>
			(await app.request(method, to, { token: other.token, ...(body && { body }) })).body
		const { id } = await ask('POST', path, { ...team, unit: 'tokens', limit: '10', unpriced: 'allow' })
		const call = { ...callIn(other.workspaceId), sessionId: '' }
		const exhausted = async () => (await ask('GET', `${path}/${id}`)).state.exhausted_at !== null
		for (const limit of ['20', '30']) {
			await expect(budgets.spending.hold(call)).rejects.toThrow('tokens left')
			expect(await exhausted()).toBe(true)
			await ask('PATCH', `${path}/${id}`, { limit })
			expect(await exhausted()).toBe(false)
		}
	})

	it.each(['hard', 'soft'])('%s: counts a call whose price is known only when it is over', async (mode) => {
		const other = await app.register()
		const body = { ...team, mode, unpriced: 'allow' }
		const { body: budget } = await app.request('POST', path, { token: other.token, body })
		const call = { ...callIn(other.workspaceId), sessionId: '' }
		const asked = budgets.spending.hold(call)
		// Spending is reported while the call still waits to be admitted, and while it runs.
		await budgets.tell()
		const hold = await asked
		for (let times = 0; times < 8; times += 1) await budgets.tell()
		hold?.settle({ costNanoUsd: 275_000n, tokens: { input: 20, output: 25 }, reported: true })
		await budgets.tell()
		const { body: seen } = await app.request('GET', `${path}/${budget.id}`, { token: other.token })
		expect(seen.state.spent).toBe('275000')
	})
})

function callIn(workspaceId: string) {
	return {
		...{ workspaceId, agentId: '', keyId: 'k', userId: '', connection: 'c', provider: 'openai', model: 'm' },
		...{ startNs: 1_700_000_000_000_000_000n, requestBytes: 200, outputLimit: 3900, streamed: false },
	}
}
