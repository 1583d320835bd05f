import { createFileRoute } from '@tanstack/react-router'
import { LimitsScreen } from '../../areas/limits/limits-screen.tsx'

export const Route = createFileRoute('/_app/limits')({ component: LimitsScreen })
