import { parentPort } from 'node:worker_threads'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

/** Text that looks like a control token is counted as plain text, which it is in a definition. */
const asText = { disallowedSpecial: new Set<string>() }

parentPort?.on('message', (text: string) => {
	parentPort?.postMessage(countTokens(text, asText))
})
