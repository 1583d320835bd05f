/**
 * Attributes that hold what people and models said: prompts, answers, arguments and results of tools, in the words of each
 * dialect. A name that ends with a star stands for all that begin so.
 */
const contentKeys = [
	...['gen_ai.input.messages', 'gen_ai.output.messages', 'gen_ai.system_instructions', 'gen_ai.prompt*'],
	...[
		'gen_ai.completion*',
		'gen_ai.tool.call.arguments',
		'gen_ai.tool.call.result',
		'gen_ai.tool.definitions',
	],
	...[
		'input.value',
		'output.value',
		'llm.input_messages*',
		'llm.output_messages*',
		'llm.prompts*',
		'tool.parameters',
	],
	...[
		'retrieval.documents*',
		'langfuse.observation.input',
		'langfuse.observation.output',
		'langfuse.trace.input',
	],
	...[
		'langfuse.trace.output',
		'traceloop.entity.input',
		'traceloop.entity.output',
		'ai.prompt*',
		'ai.response.text',
	],
	...[
		'ai.response.object',
		'ai.response.reasoning',
		'ai.response.toolCalls',
		'ai.toolCall.args',
		'ai.toolCall.result',
	],
	...['ai.value', 'ai.values', 'lmnr.span.input', 'lmnr.span.output', '$ai_input', '$ai_output_choices'],
	...[
		'mcp.request.argument*',
		'mcp.request.payload',
		'mcp.response.payload',
		'mcp.response.value',
		'mcp.tool.arguments',
	],
	...[
		'mcp.tool.result*',
		'mcp.prompt.result*',
		'mcp.user_intent',
		'genkit:input',
		'genkit:output',
		'pydantic_ai.*',
	],
	...['tool_arguments', 'tool_response', 'all_messages_events', 'gcp.vertex.agent.*', 'mlflow.spanInputs'],
	...['mlflow.spanOutputs', 'exception.message', 'exception.stacktrace'],
	...[
		'gen_ai.content.*',
		'gen_ai.retrieval.query*',
		'gen_ai.retrieval.documents',
		'gen_ai.evaluation.explanation',
	],
	...[
		'embedding.embeddings*',
		'reranker.*',
		'llm.completions*',
		'llm.choices*',
		'llm.prompt_template.variables',
	],
	...[
		'langfuse.observation.status_message',
		'traceloop.prompt.*',
		'ai.response.files',
		'$ai_output',
		'$ai_error',
	],
	...[
		'mcp.logging.message',
		'mcp.elicitation.*',
		'all_messages',
		'final_result',
		'request_data',
		'response_data',
	],
	...['events', 'logfire.msg', 'lk.*', 'flue.*', 'langsmith.entity.*'],
	...[
		'mastra.agent_*',
		'mastra.model_*',
		'mastra.workflow_*',
		'mastra.generic*',
		'mastra.metadata.body',
		'agentops.entity.*',
		'gen_ai.agent.system_prompt',
		'gen_ai.tool.input',
		'gen_ai.tool.output',
	],
	...['braintrust.input*', 'braintrust.output*', 'braintrust.expected*'],
	// Claude Code, Codex and Gemini CLI.
	...['prompt', 'user_prompt', 'response', 'full_command', 'tool_input', 'tool_parameters'],
	...['arguments', 'output', 'function_args', 'request_text', 'response_text', 'error', 'error.message'],
]

interface ContentKey {
	bytes: Buffer
	/** Whether longer keys that begin so are meant too. */
	open: boolean
}

/** By their first three bytes: almost every key is told apart by one look. */
const byStart = new Map<number, ContentKey[]>()
for (const name of contentKeys) {
	const open = name.endsWith('*')
	const bytes = Buffer.from(open ? name.slice(0, -1) : name)
	const start = startOf(bytes, 0)
	byStart.set(start, [...(byStart.get(start) ?? []), { bytes, open }])
}

function startOf(bytes: Buffer, at: number): number {
	return ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number)
}

/** Whether the key in these bytes holds content. */
export function isContentKeyAt(bytes: Buffer, start: number, end: number): boolean {
	if (end - start < 3) return false
	const candidates = byStart.get(startOf(bytes, start))
	if (candidates === undefined) return false
	for (const key of candidates) if (isAt(key, bytes, start, end)) return true
	return false
}

export function isContentKey(name: string): boolean {
	const bytes = Buffer.from(name)
	return isContentKeyAt(bytes, 0, bytes.length)
}

function isAt({ bytes: wanted, open }: ContentKey, bytes: Buffer, start: number, end: number): boolean {
	if (open ? end - start < wanted.length : end - start !== wanted.length) return false
	for (let i = 0; i < wanted.length; i++) if (bytes[start + i] !== wanted[i]) return false
	return true
}
