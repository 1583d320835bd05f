import { attributeText } from '../attribute-text.ts'
import type { Redactor } from '../redaction/redactor.ts'
import { RowWriter } from '../row-writer.ts'
import { writeAttributes } from '../span-row-binary.ts'
import { type Decoded, type DecodeOptions, ExpandsTooFar, Rejected, type Rejections } from './decoded.ts'
import type { InstrumentationScope, Resource } from './messages.ts'
import { Malformed } from './wire-reader.ts'

const scratch = new RowWriter()

/** The origin columns of a record, encoded once for all records of a scope, in the order of `senderColumns`. */
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

const writer = new RowWriter()

/** Collects the rows of one body. Items that cannot become a row are counted by reason. */
export class RowCollector {
	readonly #options: DecodeOptions
	readonly #rejections: Rejections = {}
	#count = 0

	constructor(options: DecodeOptions) {
		this.#options = options
		writer.reset()
	}

	/** Writes one row completely, or not at all; then it returns false. */
	add(write: (w: RowWriter) => void): boolean {
		const [start, before] = [writer.position, this.#count]
		try {
			write(writer)
			this.#count++
		} catch (error) {
			if (!(error instanceof Rejected || error instanceof Malformed)) throw error
			writer.position = start
			this.reject(error.message)
		}
		if (writer.position > this.#options.maxRowsBytes) throw new ExpandsTooFar()
		return this.#count > before
	}

	reject(reason: string): void {
		this.#rejections[reason] = (this.#rejections[reason] ?? 0) + 1
	}

	take(): Decoded {
		return { rows: writer.take(), count: this.#count, rejections: this.#rejections }
	}
}
