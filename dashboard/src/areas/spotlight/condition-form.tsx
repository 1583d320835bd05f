import { spanStatuses } from '@signalbox/contract/span-status'
import { type FormEvent, useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Input, Select } from '../../ui/field.tsx'
import { FilterRow } from '../../ui/filter-row.tsx'
import { type Condition, conditionFields, fieldLabel, type Operator, operators } from './conditions.ts'

interface ConditionFormProps {
	/** The fields that can be chosen besides attributes. */
	fields?: readonly string[]
	onAdd(condition: Condition): void
}

/** Any condition: on a field or an attribute, by a text, a part of it, or a number. */
export function ConditionForm({ fields = conditionFields, onAdd }: ConditionFormProps) {
	const label = fields.length > 0 ? 'Field or attribute' : 'Attribute'
	const [field, setField] = useState('')
	const [operator, setOperator] = useState<Operator>('=')
	const [value, setValue] = useState('')
	const id = useId()
	const hasValue = operator !== 'set' && operator !== 'unset'
	const name = field.trim()
	const isNumber = /^[<>]/.test(operator)
	const isGood =
		name !== '' &&
		!/[=!<>~]/.test(name) &&
		(!hasValue || (value !== '' && (!isNumber || Number.isFinite(Number(value)))))
	const submit = (event: FormEvent) => {
		event.preventDefault()
		if (isGood) onAdd({ field: name, operator, value: hasValue ? value.trim() : '' })
	}
	return (
		<form onSubmit={submit} aria-label="Add a filter" className="mb-3">
			<FilterRow>
				<Input
					aria-label={label}
					placeholder={label}
					list={`${id}-fields`}
					maxLength={256}
					value={field}
					onChange={(event) => setField(event.target.value)}
					className="sm:w-52"
				/>
				<datalist id={`${id}-fields`}>
					{fields.map((one) => (
						<option key={one} value={one} label={fieldLabel(one)} />
					))}
				</datalist>
				<Select
					aria-label="Comparison"
					value={operator}
					onChange={(event) => setOperator(event.target.value as Operator)}
					className="sm:w-44"
				>
					{operators.map((one) => (
						<option key={one.value} value={one.value}>
							{one.label}
						</option>
					))}
				</Select>
				{hasValue && (
					<>
						<Input
							aria-label="Value"
							placeholder={isNumber ? 'Number' : 'Value'}
							inputMode={isNumber ? 'decimal' : 'text'}
							list={name === 'status' ? `${id}-values` : undefined}
							maxLength={700}
							value={value}
							onChange={(event) => setValue(event.target.value)}
							className="sm:w-52"
						/>
						<datalist id={`${id}-values`}>
							{spanStatuses.map((status) => (
								<option key={status} value={status} />
							))}
						</datalist>
					</>
				)}
				<Button type="submit" variant="primary" disabled={!isGood}>
					Add
				</Button>
			</FilterRow>
		</form>
	)
}
