import { parentPort } from 'node:worker_threads'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

/** Texts of control tokens are counted as the plain text that they are in a definition. */
const asText = { disallowedSpecial: new Set<string>() }

parentPort?.on('message', (text: string) => {
	parentPort?.postMessage(countTokens(text, asText))
})
