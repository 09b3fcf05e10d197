//! Names of streams and subjects: all of a cluster's begin with its name.

use plysmith_runs::Key;

/// The names of one cluster on a broker.
#[derive(Clone, Debug)]
pub struct Names {
    cluster: String,
}

impl Names {
    /// Of the cluster with this name.
    pub fn new(cluster: &str) -> Names {
        Names { cluster: cluster.to_string() }
    }

    fn subject(&self, rest: &str) -> String {
        format!("plysmith.{}.{rest}", self.cluster)
    }

    /// The stream of jobs that wait or are leased.
    pub fn jobs_stream(&self) -> String {
        format!("plysmith-{}-jobs", self.cluster)
    }

    /// The stream that keeps results until the coordinator has seen them.
    pub fn results_stream(&self) -> String {
        format!("plysmith-{}-results", self.cluster)
    }

    /// The stream that remembers the last announcement of each worker and coordinator.
    pub fn members_stream(&self) -> String {
        format!("plysmith-{}-members", self.cluster)
    }

    /// Jobs, each under its key: the broker holds no two with the same one.
    pub fn job(&self, key: &Key) -> String {
        self.subject(&format!("job.{key}"))
    }

    /// All jobs.
    pub fn jobs(&self) -> String {
        self.subject("job.*")
    }

    /// The result of a job.
    pub fn result(&self, key: &Key) -> String {
        self.subject(&format!("result.{key}"))
    }

    /// All results.
    pub fn results(&self) -> String {
        self.subject("result.*")
    }

    /// What a worker says about itself.
    pub fn worker(&self, id: &str) -> String {
        self.subject(&format!("member.worker.{id}"))
    }

    /// What a coordinator says about itself.
    pub fn coordinator(&self, id: &str) -> String {
        self.subject(&format!("member.coordinator.{id}"))
    }

    /// What all workers say.
    pub fn workers(&self) -> String {
        self.subject("member.worker.*")
    }

    /// What all say.
    pub fn members(&self) -> String {
        self.subject("member.*.*")
    }

    /// Jobs that this worker measures once more.
    pub fn check(&self, worker: &str) -> String {
        self.subject(&format!("check.{worker}"))
    }

    /// To this worker: it was refused, and why.
    pub fn refusal(&self, worker: &str) -> String {
        self.subject(&format!("refusal.{worker}"))
    }

    /// To this worker: finish your jobs and leave.
    pub fn drain(&self, worker: &str) -> String {
        self.subject(&format!("drain.{worker}"))
    }

    /// To all workers: these jobs are no longer needed.
    pub fn withdrawal(&self) -> String {
        self.subject("withdrawal")
    }

    /// To all workers: say who you are.
    pub fn roll_call(&self) -> String {
        self.subject("roll-call")
    }

    /// To all coordinators: a piece of the blob with this key.
    pub fn blob(&self, key: &Key) -> String {
        self.subject(&format!("blob.{key}"))
    }

    /// All questions for blobs.
    pub fn blobs(&self) -> String {
        self.subject("blob.*")
    }
}

/// What of an id may be part of a subject.
pub fn subject_token(text: &str) -> String {
    let keep = |letter: char| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '-' };
    text.chars().take(40).map(keep).collect()
}
