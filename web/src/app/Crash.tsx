import { Component, type ReactNode } from "react";
import { Failure } from "../ui/States";

/** A fault in one page is told on that page; the frame around it goes on working. */
export class Crash extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    return <Failure error={this.state.error} onRetry={() => this.setState({ error: null })} />;
  }
}
