import { afterAll, expect, it } from 'vitest'
import { TokenCounter, textOf } from './count-tokens.ts'

const counter = new TokenCounter()
afterAll(() => counter.close())
const { signal } = new AbortController()

it('counts like the o200k_base tokenizer, with control tokens as plain text', async () => {
	expect(await counter.count(['hello world', 'tokenization', '<|endoftext|>', ''], signal)).toEqual([
		2, 2, 7, 0,
	])
})

it('continues after a text that is too long', async () => {
	expect(await counter.count(['a'.repeat(300_000), 'hello world'], signal)).toEqual([null, 2])
})

it('ends its thread when the signal is aborted', async () => {
	await expect(counter.count(['hello'], AbortSignal.abort())).rejects.toThrow()
})

it('counts what a model gets of a tool', () => {
	const tool = { name: 'n', description: 'd', inputSchema: {}, title: 'T', _meta: {} }
	expect(textOf(tool)).toBe('{"name":"n","description":"d","input_schema":{}}')
})
