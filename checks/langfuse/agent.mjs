// An agent that uses Langfuse's SDK for JavaScript, configured only with host and keys.
import { LangfuseClient } from '@langfuse/client'
import { LangfuseSpanProcessor } from '@langfuse/otel'
import { startObservation } from '@langfuse/tracing'
import { NodeSDK } from '@opentelemetry/sdk-node'

const sdk = new NodeSDK({ spanProcessors: [new LangfuseSpanProcessor({ exportMode: 'immediate' })] })
sdk.start()
const agent = startObservation('agent', {}, { asType: 'agent' })
const usageDetails = { input: 10, output: 5 }
const answer = agent.startObservation('answer', { model: 'gpt-5', usageDetails }, { asType: 'generation' })
answer.end()
agent.end()
const langfuse = new LangfuseClient()
await langfuse.api.projects.get()
langfuse.score.create({ name: 'helpful', value: 0.9, comment: 'good', traceId: agent.traceId })
langfuse.score.observation({ otelSpan: agent.otelSpan }, { name: 'ok', value: 1, dataType: 'BOOLEAN' })
langfuse.score.create({ name: 'of session', value: 1, sessionId: 's1' })
await langfuse.score.flush()
await sdk.shutdown()
