import { readFileSync } from 'node:fs'
import { decodeSpanBlock } from '../../blocks/span-block.ts'
import { transcodeJson } from '../transcode-json.ts'
import { transcodeProtobuf } from '../transcode-protobuf.ts'

const gpt = 'gpt-5.6-sol'
const claude = 'claude-opus-5'
const embedding = 'text-embedding-3-small'
/** Input tokens, cache reads, output and reasoning tokens, and the price in nano-dollars. */
const ofGpt = '400/600/30/20 2840000'
const ofClaude = '700/300/50/0 4900000'
const unthought = '400/600/50/0 2840000'
const ofEmbedding = '7/0/0/0 140'
const ofGemini = '400/600/30/20 unpriced'

/** The calls of each recording in the order of its spans: what was called, and its usage and price. */
export const recordedCalls: Record<string, [called: string, took: string][]> = {
	'js-vercel-7.pb': [
		[gpt, ofGpt],
		['weather', ''],
		...[gpt, gpt].map((model): [string, string] => [model, ofGpt]),
		[claude, ofClaude],
		['weather', ''],
		...[claude, claude].map((model): [string, string] => [model, ofClaude]),
		[embedding, ofEmbedding],
		[embedding, '0/0/0/0 unpriced'],
		[gpt, ofGpt],
	],
	'python-langfuse-openai.pb': [
		...[gpt, gpt, gpt].map((model): [string, string] => [model, ofGpt]),
		[embedding, ofEmbedding],
		['weather', ''],
	],
	'python-openlit.pb': [
		[gpt, unthought],
		[gpt, unthought],
		[gpt, ofGpt],
		[embedding, ofEmbedding],
		[claude, ofClaude],
	],
	'python-logfire.pb': [
		...[gpt, gpt, gpt].map((model): [string, string] => [model, ofGpt]),
		[embedding, ofEmbedding],
		...[claude, claude, claude].map((model): [string, string] => [model, ofClaude]),
	],
	'python-strands.pb': [
		[gpt, unthought],
		[claude, ofClaude],
		['weather', ''],
		[claude, ofClaude],
	],
	'python-adk.pb': [
		['gemini-3-pro', ofGemini],
		['weather', ''],
		['gemini-3-pro', ofGemini],
	],
	'python-agent-framework.pb': [
		[gpt, ofGpt],
		['weather', ''],
		[gpt, ofGpt],
	],
	'python-laminar.pb': [
		...[gpt, gpt, gpt].map((model): [string, string] => [model, ofGpt]),
		[claude, ofClaude],
		['weather', ''],
	],
	'python-mlflow.pb': [
		['weather', ''],
		[claude, ofClaude],
		...['gemini-3-pro', 'gemini-3-pro'].map((model): [string, string] => [model, '400/600/30/20 unpriced']),
	],
}

/** For a workspace that accepts spans of any time. */
export const transcodeOptions = {
	workspaceId: 'w',
	retentionDays: 30,
	oldestNs: 0n,
	nowNs: 1n,
	newestNs: 2n ** 63n - 1n,
	maxRowsBytes: 2 ** 26,
}

/** The rows of a recording. */
export function spansOf(file: string) {
	const body = readFileSync(new URL(file, import.meta.url))
	const transcode = file.endsWith('.json') ? transcodeJson : transcodeProtobuf
	return decodeSpanBlock(transcode(body, transcodeOptions).rows)
}
