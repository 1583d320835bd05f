import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { manualClock } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/seal.ts'
import { describeWithStore } from '../../../platform/database/testing.ts'
import type { Caller } from '../../operation.ts'
import { openTestGatewayOn, type TestGateway } from '../../testing.ts'
import { SessionStore } from './session-store.ts'

const hourMs = 60 * 60_000
const state = { protocolVersion: '2025-11-25', info: {}, capabilities: {}, logLevel: null }
const sealer = {
	mac: (_purpose: string, text: string) => createHash('sha256').update(text).digest('hex'),
} as unknown as Sealer

describeWithStore('a legacy session that is not used for a day', (store) => {
	let gateway: TestGateway
	let caller: Caller

	beforeAll(async () => {
		gateway = await openTestGatewayOn(store())
		const { id: agentId, keyId: credentialId } = await gateway.addAgent('Rosa')
		const { id: workspaceId } = await store()
			.db.selectFrom('workspaces')
			.select('id')
			.orderBy('id')
			.executeTakeFirstOrThrow()
		caller = { workspaceId, agentId, credentialId, serverId: null, userId: null } as unknown as Caller
	})
	afterAll(() => gateway?.close())

	const open = () => {
		const clock = manualClock()
		return { clock, sessions: new SessionStore(store().db, sealer, clock) }
	}

	it('ends, also in the process that remembers it', async () => {
		const { clock, sessions } = open()
		const { id } = await sessions.create(caller, state)
		clock.advance(25 * hourMs)
		expect((await sessions.flush())?.map((ended) => ended.id)).toEqual([id])
		expect(await sessions.find(id, caller)).toBeNull()
	})

	it('has ended also if a request read it while it was being ended', async () => {
		const { clock, sessions } = open()
		const session = await sessions.create(caller, state)
		const restarted = new SessionStore(store().db, sealer, clock)
		const reading = restarted.find(session.id, caller)
		await Promise.all([reading, restarted.end(session)])
		expect(await restarted.find(session.id, caller)).toBeNull()
	})

	it('continues while its client is connected', async () => {
		const { clock, sessions } = open()
		const { id } = await sessions.create(caller, state)
		clock.advance(25 * hourMs)
		expect(await sessions.flush([id])).toEqual([])
		const restarted = new SessionStore(store().db, sealer, clock)
		expect(await restarted.find(id, caller)).toMatchObject({ id })
	})

	it('continues if another process used it, and is not among the ended ones', async () => {
		const { clock, sessions } = open()
		const other = new SessionStore(store().db, sealer, clock)
		const { id } = await sessions.create(caller, state)
		clock.advance(25 * hourMs)
		await other.find(id, caller)
		await other.flush()
		expect(await sessions.flush()).toEqual([])
		expect(await sessions.find(id, caller)).toMatchObject({ id })
	})
})
