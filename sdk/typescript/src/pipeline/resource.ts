import { randomUUID } from 'node:crypto'
import type { Attributes } from '@opentelemetry/api'
import type { Config } from '../config.ts'
import { scope } from '../version.ts'

const instanceId = randomUUID()

/** The resource: the application's own attributes take precedence over detected ones. */
export function resourceOf({ serviceVersion, resource }: Config, serviceName: string): Attributes {
	return {
		'service.instance.id': instanceId,
		'telemetry.sdk.language': 'nodejs',
		'telemetry.sdk.name': scope.name,
		'telemetry.sdk.version': scope.version,
		'process.runtime.version': process.versions.node,
		...resource,
		'service.name': serviceName,
		...(serviceVersion !== null && { 'service.version': serviceVersion }),
	}
}
