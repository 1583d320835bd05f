import { describe, expect, it } from 'vitest'
import { linkTools, type ModelTurn, type ToolRun } from './link-tools.ts'

const sessions = 10
const turnsOfSession = 50

/** Parallel sessions, each turn of which requests the same tool with the same arguments. */
function play({ withIds, agents, stepNs }: { withIds: boolean; agents: number; stepNs: bigint }) {
	const turns: ModelTurn[] = []
	const runs: ToolRun[] = []
	const truth = new Map<string, ToolRun>()
	for (let session = 0; session < sessions; session++)
		for (let turn = 0; turn <= turnsOfSession; turn++) {
			const id = `toolu_${session}_${turn}`
			const agentId = `agent-${session % agents}`
			const startNs = BigInt(turn) * stepNs + BigInt(session)
			const toolUses = [{ id, name: 'mcp__files__read', argumentsHash: 'ab' }]
			turns.push({
				...{ traceId: 't', spanId: id, startNs, sessionId: `s${session}`, agentId },
				toolUses: turn < turnsOfSession ? toolUses : [],
				resultIds: Array.from({ length: turn }, (_, before) => `toolu_${session}_${before}`),
			})
			if (turn === turnsOfSession) continue
			const toolUseId = withIds ? id : ''
			const run = { traceId: 'm', spanId: `run-${id}`, startNs: startNs + stepNs / 2n, agentId, tool: 'read' }
			runs.push({ ...run, status: 'ok', toolUseId, argumentsHash: 'ab' })
			truth.set(id, runs.at(-1) as ToolRun)
		}
	// The order of rows must not matter.
	runs.reverse()
	return { links: linkTools(turns.reverse(), runs), truth }
}

describe('500 parallel turns with the same tool and arguments in 10 sessions', () => {
	it('are all linked exactly if clients send ids, and to the model call that received the result', () => {
		const { links, truth } = play({ withIds: true, agents: 1, stepNs: 1000n })
		expect(links).toHaveLength(500)
		expect(links.every(({ confidence }) => confidence === 'exact')).toBe(true)
		expect(links.every(({ id, runs }) => runs.length === 1 && runs[0] === truth.get(id))).toBe(true)
		for (const { id, returnedIn } of links) {
			const [, session, turn] = id.split('_')
			expect(returnedIn?.spanId).toBe(`toolu_${session}_${Number(turn) + 1}`)
		}
	})

	it.each([
		[10, 500, 0],
		[1, 0, 500],
	])(
		'without ids, with %i agents, %i are linked, all correctly, and %i are marked weak',
		(agents, strong, weak) => {
			const { links, truth } = play({ withIds: false, agents, stepNs: 1000n })
			const joined = links.filter(({ confidence }) => confidence === 'strong')
			expect(joined).toHaveLength(strong)
			expect(joined.every(({ id, runs }) => runs[0] === truth.get(id))).toBe(true)
			const rest = links.filter(({ confidence }) => confidence === 'weak')
			expect(rest).toHaveLength(weak)
			expect(rest.every(({ runs }) => runs.length === 0)).toBe(true)
		},
	)
})

it('a tool that never ran through the gateway, and an id of another agent, produce no link', () => {
	const turn = { traceId: 't', spanId: 's', startNs: 1n, sessionId: 's', agentId: 'a', resultIds: [] }
	const toolUses = [{ id: 'x', name: 'read', argumentsHash: 'ab' }]
	const run = { traceId: 'm', spanId: 'r', startNs: 2n, agentId: 'b', tool: 'read', status: 'ok' }
	const [link] = linkTools([{ ...turn, toolUses }], [{ ...run, toolUseId: 'x', argumentsHash: 'ab' }])
	expect(link).toMatchObject({ runs: [], confidence: null, returnedIn: null })
})
