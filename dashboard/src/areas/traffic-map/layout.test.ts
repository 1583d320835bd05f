import { expect, test } from 'vitest'
import { connectedNodes, layOut, maxNodes } from './layout.ts'
import { toLines } from './traffic-lines.ts'

const usage = (group: Record<string, string>, calls: number, errors = 0) => ({
	...{ group, calls, errors, latency_ms: { p50: 1, p95: 2, p99: 3 } },
})
const lines = [
	...toLines('tool_call', [
		usage({ agent: 'a', agent_name: 'Ann', server: 's', server_name: 'docs', tool: 'search' }, 5, 1),
		usage({ agent: 'b', agent_name: 'Bob', server: 's', server_name: 'docs', tool: 'search' }, 2),
		usage({ agent: 'b', agent_name: 'Bob', server: 't', server_name: 'mail', tool: 'search' }, 1),
	]),
	...toLines('model_call', [usage({ agent: 'a', agent_name: 'Ann', connection: 'openai', model: 'gpt' }, 9)]),
]

test('sums the calls of each party, largest first, and of the flows between them', () => {
	const { nodes, edges } = layOut(lines)
	expect(nodes.agent.map(({ name, calls, errors }) => [name, calls, errors])).toEqual([
		['Ann', 14, 1],
		['Bob', 3, 0],
	])
	expect(nodes.through.map(({ name, row }) => [name, row])).toEqual([
		['openai', 0],
		['docs', 1],
		['mail', 2],
	])
	expect(nodes.target.map(({ name, calls }) => [name, calls])).toEqual([
		['gpt', 9],
		['search', 7],
		['search', 1],
	])
	expect(edges.find(({ from, to }) => from.name === 'docs' && to.name === 'search')).toMatchObject({
		calls: 7,
		errors: 1,
	})
})

test('parties beyond the limit are counted, and have no line', () => {
	const many = Array.from({ length: maxNodes + 3 }, (_, at) =>
		usage({ agent: 'a', agent_name: 'Ann', server: 's', server_name: 'docs', tool: `tool ${at}` }, 100 - at),
	)
	const { nodes, edges, left } = layOut(toLines('tool_call', many))
	expect(left).toEqual({ agent: 0, through: 0, target: 3 })
	expect(edges).toHaveLength(1 + nodes.target.length)
})

test('a node is connected to those with which it has calls in common', () => {
	const [mail] = layOut(lines).nodes.through.filter(({ name }) => name === 'mail')
	expect([...connectedNodes(lines, mail ?? { column: 'agent', key: '' })].sort()).toEqual([
		'agent b',
		'server t',
		'server t search',
	])
})
