import { type ElicitResult, inputRequired, inputResponse, type McpServer } from '@modelcontextprotocol/server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBothDatabases } from '../platform/database/testing.ts'
import { type ModernTestServer, startModernServer } from '../servers/testing.ts'
import { openTestGatewayOn, type TestAgent, type TestGateway } from './testing.ts'
import { newWireClient, until, type WireAnswer } from './testing-client.ts'

const canBeAsked = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
const accepted: ElicitResult = { action: 'accept', content: {} }

/** Adds a tool that asks once whether it shall really delete. `onRun` is called for each deletion. */
function addDelete(server: McpServer, name: string, onRun: () => void): void {
	const requestedSchema = { type: 'object', properties: {} } as const
	const confirm = inputRequired.elicit({ message: 'Really?', requestedSchema })
	server.registerTool(name, { description: 'Deletes' }, (async ({ mcpReq }: never) => {
		const { inputResponses } = mcpReq as { inputResponses?: object }
		if (inputResponse(inputResponses as never, 'sure').kind !== 'elicit')
			return inputRequired({
				inputRequests: { sure: confirm },
				...(name === 'delete' && { requestState: 'asked' }),
			})
		onRun()
		return { content: [{ type: 'text', text: 'deleted' }] }
	}) as never)
}

describeOnBothDatabases('what a person approved for a client of 2026-07-28', (store) => {
	let gateway: TestGateway
	let server: ModernTestServer
	let serverId: string
	let agent: TestAgent
	let runs = 0
	beforeAll(async () => {
		gateway = await openTestGatewayOn(store())
		const configure = (mcp: McpServer) => {
			for (const name of ['delete', 'erase']) addDelete(mcp, name, () => (runs += 1))
		}
		server = await startModernServer({ bare: true, configure })
		serverId = await gateway.addServer('Files', server.url)
		agent = await gateway.addAgent('Rosa')
		await gateway.grant(agent.id, serverId, ['delete', 'erase'])
	})
	afterAll(async () => {
		await gateway?.close()
		await server?.close()
	})

	const change = (body: object) =>
		gateway.manage('PATCH', `/v1/mcp/servers/${serverId}/access/${agent.id}`, body)
	const call = (more: object = {}, args: object = {}) =>
		newWireClient(`${gateway.url}/mcp/files`, agent.key).modern(
			'tools/call',
			{ name: 'delete', arguments: args, ...more },
			{},
			canBeAsked,
		)
	const approveNext = async () => {
		let id: string | undefined
		await until(async () => {
			id = (await gateway.manage('GET', '/v1/approvals?status=pending')).approvals[0]?.id
			return id !== undefined
		}, 5000)
		await gateway.manage('POST', `/v1/approvals/${id}/approve`, {})
	}
	const asked = ({ body }: WireAnswer) => {
		expect(body.result?.resultType).toBe('input_required')
		const keys = Object.keys(body.result.inputRequests)
		return {
			requestState: body.result.requestState as string,
			inputResponses: Object.fromEntries(keys.map((key) => [key, accepted])),
		}
	}
	/** Sends ten copies at once and counts their outcomes. */
	const tenTimes = async (more: object, args: object) => {
		const answers = await Promise.all(Array.from({ length: 10 }, () => call(more, args)))
		return answers.map(({ body }) => body.error?.data.code ?? body.result.resultType).sort()
	}

	it("runs once, however often the answer to its server's question is sent", async () => {
		await change({ approval: { delete: 'ask' }, approver: 'workspace' })
		const before = runs
		const first = call({}, { n: 1 })
		await approveNext()
		const retry = asked(await first)
		expect(await tenTimes(retry, { n: 1 })).toEqual(['complete', ...Array(9).fill('request_state_used')])
		expect((await call(retry, { n: 1 })).body.error.data.code).toBe('request_state_used')
		expect(runs).toBe(before + 1)
	})

	it("runs once, however often its user's approval is sent, also to a process that does not know the call", async () => {
		await change({ approval: { delete: 'ask' }, approver: 'caller' })
		const before = runs
		const yes = asked(await call({}, { n: 2 }))
		await gateway.restart()
		const answers = await Promise.all(Array.from({ length: 10 }, () => call(yes, { n: 2 })))
		const [going, ...others] = answers.filter(({ body }) => body.result)
		expect(others).toEqual([])
		const sure = asked(going as WireAnswer)
		expect((await call(sure, { n: 2 })).body.result.resultType).toBe('complete')
		for (const state of [yes, sure])
			expect((await call(state, { n: 2 })).body.error.data.code).toBe('request_state_used')
		expect(runs).toBe(before + 1)
	})

	it('goes on when its server asks without a state', async () => {
		await change({ approval: { erase: 'ask' }, approver: 'workspace', approval_wait_ms: null })
		const before = runs
		const first = call({ name: 'erase' }, { n: 4 })
		await approveNext()
		const retry = asked(await first)
		expect((await call({ name: 'erase', ...retry }, { n: 4 })).body.result?.resultType).toBe('complete')
		expect(runs).toBe(before + 1)
	})

	it('does not go on as the call of another tool that has taken the name of this one', async () => {
		const rename = (tool_aliases: object) =>
			gateway.manage('PATCH', `/v1/mcp/servers/${serverId}`, { tool_aliases })
		const go = (more: object = {}) =>
			newWireClient(`${gateway.url}/mcp`, agent.key).modern(
				'tools/call',
				{ name: 'go', arguments: { n: 5 }, ...more },
				{},
				canBeAsked,
			)
		await change({ approval: { delete: 'ask', erase: 'ask' }, approver: 'workspace' })
		await rename({ delete: 'go' })
		const before = runs
		const first = go()
		await approveNext()
		const retry = asked(await first)
		await rename({ erase: 'go' })
		expect((await go(retry)).body.error?.message).toContain('another tool now')
		expect(runs).toBe(before)
	})

	it('needs an approval that was not required when the call began', async () => {
		await change({ approval: {} })
		const retry = asked(await call({}, { n: 3 }))
		await change({ approval: { delete: 'ask' }, approver: 'workspace', approval_wait_ms: 0 })
		const before = runs
		expect((await call(retry, { n: 3 })).body.error.data.code).toBe('approval_pending')
		expect(runs).toBe(before)
	})
})
