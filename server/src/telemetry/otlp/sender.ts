import { attributeText } from '../attribute-text.ts'
import { writeAttributes } from '../encode-row.ts'
import type { Redactor } from '../redaction/redactor.ts'
import { RowWriter } from '../row-writer.ts'
import type { InstrumentationScope, Resource } from './messages.ts'

const scratch = new RowWriter()

/** The columns of who sent a record, written once for all records of a scope; in the order of `senderColumns`. */
export function encodeSender(
	resource: Resource,
	resourceSchemaUrl: string,
	scope: InstrumentationScope,
	scopeSchemaUrl: string,
	redactor: Redactor,
): Buffer {
	const attributes = redactor.othersIn(resource.attributes)
	scratch.reset()
	scratch.text(attributeText(attributes.get('service.name') ?? ''))
	writeAttributes(scratch, attributes)
	scratch.uint32(resource.droppedAttributesCount)
	scratch.text(resourceSchemaUrl)
	scratch.text(scope.name)
	scratch.text(scope.version)
	writeAttributes(scratch, redactor.othersIn(scope.attributes))
	scratch.uint32(scope.droppedAttributesCount)
	scratch.text(scopeSchemaUrl)
	return scratch.take()
}
