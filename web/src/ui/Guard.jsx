// SPDX-License-Identifier: MIT
// A part of the page that failed reports it, instead of taking all with it.
import { Component } from "preact";
import { takeBack } from "../state/session.js";

export class Guard extends Component {
  static getDerivedStateFromError(error) {
    return { error };
  }

  render({ children, what }, { error }) {
    if (!error) return children;
    const again = () => { takeBack(); this.setState({ error: null }); };
    return (
      <div class="stumbled" role="alert">
        <p>{what} cannot be shown: {error.message}</p>
        <button type="button" class="quiet" onClick={again}>Undo the last edit</button>
      </div>
    );
  }
}
