import { createFileRoute } from '@tanstack/react-router'
import { SystemHealthScreen } from '../../areas/system-health/system-health-screen.tsx'

export const Route = createFileRoute('/_app/system-health')({ component: SystemHealthScreen })
