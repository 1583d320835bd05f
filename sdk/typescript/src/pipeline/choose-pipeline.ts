import type { Config } from '../config.ts'
import { ApplicationPipeline, hasTracerProvider } from './application-pipeline.ts'
import { OwnPipeline } from './own-pipeline.ts'
import type { Pipeline } from './pipeline.ts'

const own = new Map<string, OwnPipeline>()

/**
 * The application's providers if it has any; otherwise our own pipeline, shared by all that send to the same endpoint under the same
 * name.
 */
export function choosePipeline(config: Config, serviceName: string): Pipeline {
	if (config.pipeline === 'auto' && hasTracerProvider()) return new ApplicationPipeline()
	const { tracesUrl, metricsUrl, headers, serviceVersion } = config
	const key = JSON.stringify([tracesUrl, metricsUrl, headers, serviceName, serviceVersion])
	const known = own.get(key) ?? new OwnPipeline(config, serviceName)
	own.set(key, known)
	return known
}
