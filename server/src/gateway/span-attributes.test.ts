import { describe, expect, it } from 'vitest'
import { hashOfArguments } from '../platform/arguments-hash.ts'
import type { SpanRow } from '../telemetry/index.ts'
import { useCallStage } from './testing-stage.ts'
import { type Received, sendText } from './testing-upstream.ts'

describe('the record of an operation', () => {
	const stage = useCallStage()
	const run = async (meta: object = {}) => {
		stage.answer = (message, response) => {
			response.writeHead(200, { 'content-type': 'application/json' })
			response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { content: [] } }))
		}
		await stage.call(meta)
		return stage.lastRow() as SpanRow
	}
	const newest = () => stage.gateway.rows.at(-1) as SpanRow

	it('has the names of the conventions for MCP', async () => {
		const row = await run()
		expect(row.name).toBe('tools/call run')
		const { port } = new URL(stage.upstream.url)
		expect(Object.fromEntries(row.attributes)).toEqual({
			'mcp.method.name': 'tools/call',
			'gen_ai.tool.call.arguments': '{}',
			'gen_ai.tool.call.result': '{"content":[]}',
			'mcp.protocol.version': '2025-11-25',
			'mcp.session.id': row.sessionId,
			'jsonrpc.request.id': '5',
			'network.transport': 'tcp',
			'network.protocol.name': 'http',
			'client.address': '127.0.0.1',
			'server.address': '127.0.0.1',
			'server.port': BigInt(port),
			'gen_ai.tool.name': 'run',
			'gen_ai.operation.name': 'execute_tool',
			'signalbox.arguments_hash': hashOfArguments({}, row.workspaceId),
			'signalbox.server.version': '1',
		})
		expect(row.sessionId).not.toBe('')
	})

	it('names the session that a handshake opens, and the server whose endpoint answers by itself', async () => {
		await stage.client.initialize()
		const { sessionId, serverId } = await run()
		await stage.client.request('logging/setLevel', { level: 'info' })
		await stage.client.request('resources/unsubscribe', { uri: 'file:///none' })
		await stage.client.request('unknown/method')
		const own = ['initialize', 'logging/setLevel', 'resources/unsubscribe', 'unknown/method']
		const of = stage.gateway.rows.filter((row) => row.sessionId === sessionId && own.includes(row.mcpMethod))
		expect(of.map((row) => [row.mcpMethod, row.serverId, row.attributes.get('mcp.session.id')])).toEqual(
			own.map((method) => [method, serverId, sessionId]),
		)
	})

	it('has the hash of its arguments, independent of key order and number notation', async () => {
		await run()
		for (const given of [
			'{"b":[{"z":1,"a":"é"}],"a":0.5}',
			'{"n":1.0,"big":1e21,"long":12345678901234567890}',
		]) {
			await stage.client.request('tools/call', { name: 'run', arguments: JSON.parse(given) })
			const { attributes, workspaceId } = newest()
			const reversed = Object.fromEntries(Object.entries(JSON.parse(given)).reverse())
			expect(attributes.get('signalbox.arguments_hash'), given).toBe(hashOfArguments(reversed, workspaceId))
			expect(attributes.get('signalbox.arguments_hash'), given).toBe(hashOfArguments(given, workspaceId))
		}
	})

	it('says what failed: the tool, the protocol or the gateway', async () => {
		const failWith = async (body: object) => {
			stage.answer = (message, response) => {
				response.writeHead(200, { 'content-type': 'application/json' })
				response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...body }))
			}
			await stage.call()
			const { status, attributes } = stage.lastRow() as SpanRow
			return [status, attributes.get('error.type'), attributes.get('rpc.response.status_code')]
		}
		expect(await failWith({ result: { content: [], isError: true } })).toEqual([
			'error',
			'tool_error',
			undefined,
		])
		expect(await failWith({ error: { code: -32050, message: 'no' } })).toEqual(['error', '-32050', '-32050'])
		await stage.client.request('tools/call', { name: 'unknown' })
		const refused = newest()
		expect([refused.status, refused.attributes.get('error.type')]).toEqual(['denied', 'tool_not_granted'])
		expect(refused.attributes.get('rpc.response.status_code')).toBe('-32602')
	})

	it.each([
		['Claude Code', { 'claudecode/toolUseId': 'toolu_1' }, 'toolu_1', undefined],
		['Codex', { threadId: 'thread-1', callId: 'call-1' }, 'call-1', 'thread-1'],
		['OpenCode', { sessionID: 'ses_1' }, undefined, 'ses_1'],
		['OpenCode, named', { 'ai.opencode/sessionID': 'ses_2' }, undefined, 'ses_2'],
		['ChatGPT', { 'openai/session': 'v1/abc' }, undefined, 'v1/abc'],
		['Redpanda', { 'redpanda.com/llm-tool-call-id': 'call_2' }, 'call_2', undefined],
		['Copilot', { 'copilot/toolCallId': 'call_3' }, 'call_3', undefined],
	])('keeps the tool use of a model: %s', async (_client, meta, toolUse, conversation) => {
		const row = await run(meta)
		expect(row.attributes.get('gen_ai.tool.call.id')).toBe(toolUse)
		expect(row.attributes.get('gen_ai.conversation.id')).toBe(conversation)
		if (conversation) expect(row.sessionId).toBe(conversation)
	})

	it('accepts text only, up to a small size', async () => {
		const row = await run({ 'claudecode/toolUseId': { a: 1 }, threadId: 'x'.repeat(5000) })
		expect(row.attributes.get('gen_ai.tool.call.id')).toBeUndefined()
		expect(String(row.attributes.get('gen_ai.conversation.id')).length).toBe(256)
	})

	it.each([
		[
			'zod',
			'MCP error -32602: Invalid arguments for tool run: [{ "path": ["owner"], "message": "Required" }]',
			'owner',
		],
		[
			'zod 3, and a name that is a key of its issues',
			'MCP error -32602: Invalid arguments for tool run: [\n  {\n    "code": "invalid_type",\n    "expected": "number",\n    "received": "string",\n    "path": [\n      "limit"\n    ],\n    "message": "Expected number, received string"\n  },\n  {\n    "code": "unrecognized_keys",\n    "keys": [\n      "message"\n    ],\n    "path": [],\n    "message": "Unrecognized key(s) in object: \'message\'"\n  }\n]',
			'limit',
		],
		[
			'valibot',
			'Invalid arguments for tool run: [{"kind":"schema","type":"number","input":"x","expected":"number","received":"\\"x\\"","message":"Invalid type: Expected number but received \\"x\\"","path":[{"type":"object","origin":"value","input":{"owner":"a","limit":"x"},"key":"limit","value":"x"}]}]',
			'limit',
		],
		[
			'pydantic',
			'2 validation errors for run\nowner\n  Field required\nlimit.max\n  Input should be',
			'owner,limit',
		],
		[
			'ajv',
			"Invalid params: data must have required property 'owner', data/limit must be integer",
			'limit,owner',
		],
		[
			'jsonschema',
			"Input validation error: 'secret-value' is not of type 'integer'; 'owner' is a required property",
			'owner',
		],
		['Quarkus, missing', 'Missing required argument: owner', 'owner'],
		['Quarkus, of another type', 'Invalid argument [limit] - unable to convert value', 'limit'],
		[
			"Kotlin's SDK, missing",
			"Error executing tool run: Field 'owner' is required for type with serial name 'org.example.Run', but it was missing",
			'owner',
		],
		[
			"Kotlin's SDK, two missing",
			"Error executing tool run: Fields [owner, limit] are required for type with serial name 'Run', but they were missing",
			'owner,limit',
		],
		[
			"Java's SDK",
			'Tool (run) input validation failed: Validation failed: JSON schema validation errors: [/limit: does not have a value in the enumeration ["code"], : required property \'owner\' not found]',
			'limit,owner',
		],
		[
			"Kotlin's SDK, of another type",
			'Error executing tool run: Failed to parse literal \'"secret-value"\' as an int value at path: $.limit\nJSON input: {"owner":"a","limit":"secret-value"}',
			'limit',
		],
		["Rust's SDK", 'failed to deserialize parameters: missing field `owner`', 'owner'],
		[
			"Rust's SDK, of another type",
			'failed to deserialize parameters: invalid type: string "secret-value", expected u32',
			'',
		],
		[
			"Go's SDK, missing",
			'validating "arguments": validating root: required: missing properties: ["owner"]',
			'owner',
		],
		[
			"Go's SDK, of another type",
			'validating "arguments": validating root: validating /properties/limit: type: secret-value has type "string", want "integer"',
			'limit',
		],
		['mcp-go, missing', 'required argument "owner" not found', 'owner'],
		['mcp-go, of another type', 'argument "limit" cannot be converted to int', 'limit'],
		[
			"TypeScript's SDK 1",
			'MCP error -32602: Input validation error: Invalid arguments for tool run: Invalid input: expected string, received undefined at owner\nInvalid input: expected number, received string at limit.max',
			'owner,limit',
		],
		[
			"TypeScript's SDK 1, one of some words",
			'MCP error -32602: Input validation error: Invalid arguments for tool run: Invalid option: expected one of "a"|"owner" at limit',
			'limit',
		],
		[
			"TypeScript's SDK 2",
			'Input validation error: Invalid arguments for tool run: owner: Invalid input: expected string, received undefined, limit.0: Invalid input: expected number, received undefined',
			'owner,limit',
		],
		[
			'FastMCP for TypeScript',
			"MCP error -32602: Tool 'run' parameter validation failed: limit: Too big: expected number to be <=5. Please check the parameter types and values according to the tool's schema.",
			'limit',
		],
		[
			"Python's SDK, one missing",
			"Error executing tool run: 1 validation error for runArguments\nlimit\n  Field required [type=missing, input_value={'owner': 'xx'}, input_type=dict]\n    For further information visit https://errors.pydantic.dev/2.14/v/missing",
			'limit',
		],
		["Python's SDK, of another type", "Input validation error: 'owner' is not of type 'integer'", ''],
		[
			"Rust's SDK, one that is not known",
			'failed to deserialize parameters: unknown field `limit`, expected `owner`',
			'limit',
		],
		[
			'mcp-go, bound to a struct',
			'failed to bind arguments: json: cannot unmarshal string into Go struct field In.limit of type int',
			'limit',
		],
		[
			'mcp-go, by the schema',
			'input schema validation failed: <root>: &{Missing:[owner tags]}; /limit: &{Got:string Want:[owner]}',
			'limit,owner',
		],
		['servers of their own, missing', 'missing required parameter: owner', 'owner'],
		['servers of their own, several missing', 'Missing required arguments: owner, limit', 'owner,limit'],
		['servers of their own, of another type', 'parameter limit is not of type float64', 'limit'],
		['no name', 'Invalid arguments.', ''],
		[
			"a result that does not fit, by TypeScript's SDK",
			'MCP error -32602: Output validation error: Invalid structured content for tool run: Invalid input: expected number, received undefined at limit',
			undefined,
		],
		[
			"a result that does not fit, by Python's SDK",
			"Output validation error: 'limit' is a required property",
			undefined,
		],
		[
			"a result that does not fit, by Java's SDK",
			"Tool (run) output validation failed: Validation failed: JSON schema validation errors: [: required property 'limit' not found]",
			undefined,
		],
		[
			'issues, of which some are none',
			'Invalid arguments for tool run: [{"path": ["owner"]}, null, {"path": [null]}, {"path": [{"key": {"toString": 1}}]}, {"keys": [{"toString": 1}]}]',
			'owner',
		],
		['an unknown tool, by Java', 'Unknown tool: invalid_tool_name', undefined],
		[
			"a model of the tool's own",
			"Error executing tool run: 1 validation error for Out\nstars\n  Field required [type=missing, input_value={'owner': 'xx'}, input_type=dict]",
			undefined,
		],
		['a tool that is gone', 'MCP error -32602: Tool run disabled', undefined],
		['another failure', "The repository 'owner' does not exist.", undefined],
	])('names refused arguments, and nothing else of what was said: %s', async (who, text, names) => {
		const failWith = async (body: object) => {
			stage.answer = (message, response) => {
				response.writeHead(200, { 'content-type': 'application/json' })
				response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...body }))
			}
			await stage.client.request('tools/call', {
				name: 'run',
				arguments: { owner: 'a', limit: 'secret-value', code: 1 },
			})
			return stage.lastRow()?.attributes.get('signalbox.invalid_arguments')
		}
		expect(await failWith({ result: { content: [{ type: 'text', text }], isError: true } })).toBe(names)
		expect(await failWith({ error: { code: -32603, message: text } })).toBe(names)
		// By its code alone, a failure is about the arguments, whatever is said.
		const isOther = /another failure/.test(who)
		expect(await failWith({ error: { code: -32602, message: text } })).toBe(isOther ? 'owner' : names)
	})

	it('is named after a prompt, and never after the address of a resource', async () => {
		await stage.client.request('prompts/get', { name: 'greet' })
		expect([newest().name, newest().attributes.get('gen_ai.prompt.name')]).toEqual([
			'prompts/get greet',
			'greet',
		])
		await stage.client.request('resources/read', { uri: 'file:///secret' })
		expect(newest().name).toBe('resources/read')
		expect(newest().attributes.get('mcp.resource.uri')).toBe('file:///secret')
	})

	it("continues the trace of the message, and the server gets the gateway's", async () => {
		const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
		let sent: Record<string, unknown> = {}
		stage.answer = (message, response) => {
			sent = (message.params as { _meta: Record<string, unknown> })._meta
			response.writeHead(200, { 'content-type': 'application/json' })
			response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { content: [] } }))
		}
		await stage.call({ traceparent, tracestate: 'vendor=1', baggage: 'user=ada' })
		const row = stage.lastRow() as SpanRow
		expect([row.traceId, row.parentSpanId]).toEqual(['a'.repeat(32), 'b'.repeat(16)])
		expect(sent.traceparent).toBe(`00-${'a'.repeat(32)}-${row.spanId}-01`)
		expect([sent.tracestate, sent.baggage]).toEqual(['vendor=1', 'user=ada'])
	})

	it('continues the trace of the headers, with its trace state, in both directions', async () => {
		const traceparent = `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01`
		let got: Received | undefined
		stage.answer = (message, response) => {
			got = message
			sendText(response, message.id, 'ran')
		}
		const message = { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'run' } }
		await stage.client.post(message, { traceparent, tracestate: 'vendor=1,other=2' })
		const row = stage.lastRow() as SpanRow
		const ours = `00-${'c'.repeat(32)}-${row.spanId}-01`
		expect([row.traceId, row.traceState]).toEqual(['c'.repeat(32), 'vendor=1,other=2'])
		expect(got?.headers).toMatchObject({ traceparent: ours, tracestate: 'vendor=1,other=2' })
		expect(got?.params._meta).toMatchObject({ traceparent: ours, tracestate: 'vendor=1,other=2' })
	})
})
