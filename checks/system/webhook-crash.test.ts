import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Receiver, startReceiver } from '../../server/src/insights/webhooks/testing.ts'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'

const dataDir = newDataDir()
let receiver: Receiver
let program: Program

beforeAll(async () => {
	receiver = await startReceiver()
	program = await startProgram(dataDir)
})
afterAll(async () => {
	await program?.kill('SIGTERM')
	await receiver?.close()
	removeDataDir(dataDir)
})

it('a delivery interrupted by a kill is repeated after the restart with the same webhook-id', async () => {
	receiver.answer(() => {})
	const hook = { url: receiver.url, events: ['agents.create'] }
	const { id } = await program.api<{ id: string }>('POST', '/v1/webhooks', hook, 201)
	await program.api('POST', '/v1/agents', { name: 'Reported' }, 201)
	await vi.waitFor(() => expect(receiver.messages).toHaveLength(1), 10_000)
	await program.kill('SIGKILL')
	endLeases()
	receiver.answer((response) => void response.writeHead(204).end())
	program = await startProgram(dataDir)
	await vi.waitFor(() => expect(receiver.messages.length).toBeGreaterThan(1), 60_000)
	const [first, second] = receiver.messages
	expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
	expect(second?.body).toBe(first?.body)
	await vi.waitFor(async () => {
		const path = `/v1/webhooks/${id}/deliveries`
		const { deliveries } = await program.api<{ deliveries: { status: string }[] }>('GET', path)
		expect(deliveries.map(({ status }) => status)).toEqual(['delivered'])
	}, 10_000)
}, 120_000)

/** Ends the leases of the killed program, so that its jobs can run at once. Otherwise they would only end after 20 s. */
function endLeases(): void {
	const store = new DatabaseSync(join(dataDir, 'control.db'))
	const { changes } = store.prepare('UPDATE jobs SET run_at = 1 WHERE lease_holder IS NOT NULL').run()
	store.close()
	expect(changes).toBeGreaterThan(0)
}
