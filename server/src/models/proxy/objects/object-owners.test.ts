import { beforeAll, expect, it } from 'vitest'
import { systemClock as clock } from '../../../platform/clock.ts'
import { describeOnBothDatabases } from '../../../platform/database/testing.ts'
import { newId } from '../../../platform/ids.ts'
import { silentLog } from '../../../platform/log.ts'
import { ObjectOwners, type Owner } from './object-owners.ts'

const dayMs = 86_400_000

describeOnBothDatabases('the owners of stored objects', (store) => {
	let ada: Owner
	let bob: Owner
	let elsewhere: Owner
	let owners: ObjectOwners
	beforeAll(async () => {
		const at = clock.nowMs()
		const dates = { created_at: at, updated_at: at }
		const workspaceId = newId(at)
		const [one, other] = [newId(at), newId(at)]
		await store()
			.db.insertInto('workspaces')
			.values({ id: workspaceId, name: 'Test', ...dates })
			.execute()
		for (const [id, name] of [
			[one, 'one'],
			[other, 'other'],
		] as const) {
			const account = { provider: 'openai', base_url: 'https://api.example', last_used_at: null }
			const row = { id, workspace_id: workspaceId, name, ...account }
			const empty = { sealed_key: null, last4: null, record_bodies: 1, inject_usage: 0, priced_as: null }
			await store()
				.db.insertInto('connections')
				.values({ ...row, ...empty, ...dates })
				.execute()
		}
		ada = { workspaceId, connectionId: one, owner: 'ada' }
		bob = { ...ada, owner: 'bob' }
		elsewhere = { ...ada, connectionId: other }
		owners = new ObjectOwners(store().db, clock, silentLog as never)
	})

	it('an object of an agent is foreign to others, and to the agent over another connection', async () => {
		await owners.note(ada, ['resp_1', 'msg_1'])
		expect(await owners.findForeign(ada, ['resp_1', 'msg_1'])).toBeNull()
		expect(await owners.findForeign(bob, ['resp_1'])).toBe('resp_1')
		expect(await owners.findForeign(elsewhere, ['resp_1'])).toBe('resp_1')
		expect(await owners.findForeign(ada, ['resp_1', 'resp_2'])).toBe('resp_2')
		expect(await owners.findForeign({ ...ada, workspaceId: 'other' }, ['resp_1'])).toBe('resp_1')
	})

	it('an object keeps its first owner', async () => {
		await owners.note(ada, ['file-1'])
		await owners.note(bob, ['file-1'])
		expect(await owners.findForeign(bob, ['file-1'])).toBe('file-1')
	})

	it('many concurrent notes are all stored, also more than one statement can hold', async () => {
		const ids = Array.from({ length: 250 }, (_, at) => `msg_many${at}`)
		await Promise.all(ids.map((id) => owners.note(ada, [id])))
		expect(await owners.findForeign(ada, ids)).toBeNull()
	})

	it('responses are forgotten when their provider has forgotten them, files are not', async () => {
		await owners.note(ada, ['resp_old', 'file-old'])
		const laterMs = () => clock.nowMs() + 32 * dayMs
		const later = { ...clock, nowMs: laterMs, deletionMs: laterMs }
		const cleaning = new ObjectOwners(store().db, later, silentLog as never)
		await cleaning.note(bob, ['resp_new'])
		expect(await owners.findForeign(ada, ['file-old'])).toBeNull()
		expect(await owners.findForeign(ada, ['resp_old'])).toBe('resp_old')
	})
})
