import { parseAttribute, toOtlpJson, toOtlpKeyValues } from '../attribute-text.ts'
import type { StoredLog } from '../logs/repository.ts'
import { toAttributes } from '../reads/stored-span.ts'

/** Log records as an `ExportLogsServiceRequest` in OTLP's JSON form, each with its own resource and scope. */
export function toLogsRequest(rows: readonly StoredLog[]): object {
	return {
		resourceLogs: rows.map((log) => ({
			resource: {
				attributes: toOtlpKeyValues(toAttributes(log.resource, log.resource_types)),
				droppedAttributesCount: log.resource_dropped_attributes,
			},
			schemaUrl: log.resource_schema_url,
			scopeLogs: [
				{
					scope: {
						name: log.scope_name,
						version: log.scope_version,
						attributes: toOtlpKeyValues(toAttributes(log.scope_attributes, log.scope_attribute_types)),
						droppedAttributesCount: log.scope_dropped_attributes,
					},
					schemaUrl: log.scope_schema_url,
					logRecords: [toOtlpLog(log)],
				},
			],
		})),
	}
}

function toOtlpLog(log: StoredLog): object {
	return {
		timeUnixNano: log.time_unix_nano,
		observedTimeUnixNano: log.observed_time_unix_nano,
		severityNumber: log.severity_number,
		severityText: log.severity_text,
		eventName: log.event_name,
		body: toOtlpJson(parseAttribute(log.body, log.body_type || undefined)),
		attributes: toOtlpKeyValues(toAttributes(log.attributes, log.attribute_types)),
		droppedAttributesCount: log.dropped_attributes,
		flags: log.flags,
		traceId: log.trace.replace(/^0+$/, ''),
		spanId: log.span.replace(/^0+$/, ''),
	}
}
